// Writes ZIP files (APPNOTE 6.3.10) whose files are stored as they are.

/** A file's name and its text. */
export type NamedText = readonly [name: string, text: string];

const encoder = new TextEncoder();

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

/** Numbers of 2 or 4 bytes, little-endian. */
function numbers(...fields: readonly (readonly [value: number, size: 2 | 4])[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(fields.reduce((length, [, size]) => length + size, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += size;
  }
  return bytes;
}

/** The date 1980-01-01: the time of a download says nothing about the texts. */
const date = 0x21;

/** Names are UTF-8. */
const flags = 0x800;

/** What a file's header and the directory have in common. */
function description(content: Uint8Array, name: Uint8Array): Uint8Array<ArrayBuffer> {
  const size = content.length;
  return numbers([20, 2], [flags, 2], [0, 2], [0, 2], [date, 2], [crc32(content), 4], [size, 4], [size, 4], [name.length, 2], [0, 2]);
}

/** Packs files into a ZIP file. */
export function zip(files: readonly NamedText[]): Blob {
  const local: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);
  for (const [name, text] of files) {
    const nameBytes = encoder.encode(name);
    const content = encoder.encode(text);
    const described = description(content, nameBytes);
    const offset = lengthOf(local);
    local.push(numbers([0x04034b50, 4]), described, nameBytes, content);
    const place = numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]);
    directory.push(numbers([0x02014b50, 4], [20, 2]), described, place, nameBytes);
  }
  const count = files.length;
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [lengthOf(directory), 4], [lengthOf(local), 4], [0, 2]);
  return new Blob([...local, ...directory, end], { type: "application/zip" });
}
