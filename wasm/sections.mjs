// Reads and writes the sections of WebAssembly modules.

const headerSize = 8;
export const pageSize = 65536;
export const sectionID = { custom: 0, import: 2, memory: 5, global: 6, export: 7, code: 10, data: 11, dataCount: 12 };

/** Splits a module into its sections. */
export function readSections(module) {
  const reader = new Reader(module, headerSize);
  const sections = [];
  while (!reader.atEnd()) {
    const id = reader.byte();
    const length = reader.number();
    sections.push({ id, body: module.subarray(reader.at, reader.at + length) });
    reader.at += length;
  }
  return sections;
}

export function writeSections(sections) {
  const header = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  return Buffer.concat([header, ...sections.flatMap(({ id, body }) => [Buffer.from([id]), encodeNumber(body.length), body])]);
}

/** Reads the memory section of a module with a single memory. Sizes are in pages. */
export function readMemory(body) {
  const reader = new Reader(body);
  const [count, flags, minimum] = [reader.number(), reader.byte(), reader.number()];
  if (count !== 1 || flags > 1) throw new Error(`${count} memories with flags ${flags} are not supported`);
  return { minimum, maximum: flags === 1 ? reader.number() : undefined };
}

/** Creates the memory section of a module with a single memory. Sizes are in pages. */
export function writeMemory({ minimum, maximum }) {
  return Buffer.concat([Buffer.from([1, 1]), encodeNumber(minimum), encodeNumber(maximum)]);
}

/** Encodes an unsigned LEB128 number. */
export function encodeNumber(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return Buffer.from([...bytes, value]);
}

/** Encodes a signed LEB128 number or bigint. */
export function encodeSigned(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; ) {
    const byte = Number(rest & 0x7fn);
    rest >>= 7n;
    const isLast = (rest === 0n && byte < 0x40) || (rest === -1n && byte >= 0x40);
    bytes.push(isLast ? byte : byte | 0x80);
    if (isLast) return Buffer.from(bytes);
  }
}

export class Reader {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  atEnd() {
    return this.at >= this.bytes.length;
  }

  byte() {
    return this.bytes[this.at++];
  }

  /** Reads an unsigned LEB128 number. */
  number() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }

  text() {
    const length = this.number();
    this.at += length;
    return this.bytes.toString("utf8", this.at - length, this.at);
  }
}
