// Starts a module of the engine and writes a module that continues there: its memory is the
// data, and its globals have their present values. The section "started" lists the JavaScript
// values that the program holds (see resume.js).
//
//   node start.mjs PLAIN OUT
//
// This is possible because Go's code for js/wasm returns to the host whenever it waits. The
// bytes are reproducible: the program gets a constant clock and constant random numbers.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { argv, exit } from "node:process";
import { inspect } from "node:util";
import {
  Reader, encodeNumber, encodeSigned, pageSize, readMemory, readSections, sectionID, writeMemory, writeSections,
} from "./sections.mjs";

const [plain, out] = argv.slice(2);
/** Go's wasm_exec.js numbers the values of each program up to here. */
const common = 7;
/** The time of the start, in milliseconds since 1970. */
const startTime = Date.UTC(2026, 0, 1);

const sections = readSections(readFileSync(plain));
const globals = readGlobals(bodyOf(sectionID.global));
loadRuntime();
const started = await start();
writeFileSync(out, writeSections([...sections.flatMap(restored), description()]));
exit(0);

function bodyOf(id) {
  return sections.find((section) => section.id === id).body;
}

/** Loads wasm_exec.js as a worker of the page does, without Node's own values. */
function loadRuntime() {
  delete globalThis.process;
  const root = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
  const require = createRequire(import.meta.url);
  require(join(root, "lib", "wasm", "wasm_exec.js"));
  require("./resume.js");
}

/** Runs the program until it waits for its first request. */
async function start() {
  const go = new globalThis.Go();
  const callbacks = new Map();
  const makeWrapper = go._makeFuncWrapper.bind(go);
  go._makeFuncWrapper = (id) => {
    const wrapper = makeWrapper(id);
    callbacks.set(wrapper, id);
    return wrapper;
  };
  const clock = makeReproducible(go);
  const instrumented = writeSections(sections.map((section) => (section.id === sectionID.export ? withGlobals(section) : section)));
  await go.start(await WebAssembly.compile(instrumented));
  // Finalizers of JavaScript values run while the program waits.
  await new Promise((resolve) => setTimeout(resolve, 50));
  if (go._scheduledTimeouts.size > 0) throw new Error("a timer is pending");
  return { go, callbacks, clock, exports: go._inst.exports };
}

/** Replaces the clocks and the random numbers by constant sequences. */
function makeReproducible(go) {
  const clock = { nanoseconds: 1e9 };
  const { gojs } = go.importObject;
  let random = 1;
  gojs["runtime.nanotime1"] = (pointer) => {
    clock.nanoseconds += 1000;
    go.mem.setBigInt64((pointer >>> 0) + 8, BigInt(clock.nanoseconds), true);
  };
  gojs["runtime.walltime"] = (pointer) => {
    go.mem.setBigInt64((pointer >>> 0) + 8, BigInt(startTime / 1000), true);
    go.mem.setInt32((pointer >>> 0) + 16, 0, true);
  };
  gojs["runtime.getRandomData"] = (pointer) => {
    const at = Number(go.mem.getBigInt64((pointer >>> 0) + 8, true));
    const length = Number(go.mem.getBigInt64((pointer >>> 0) + 16, true));
    for (let i = 0; i < length; i++) {
      random = (Math.imul(random, 1103515245) + 12345) >>> 0;
      go.mem.setUint8(at + i, random >>> 16);
    }
  };
  return clock;
}

/** Returns the section of the restored module for a section of the plain one; none for the count of the data. */
function restored(section) {
  switch (section.id) {
    case sectionID.memory:
      return [{ id: section.id, body: withMinimum(section.body, started.exports.mem.buffer.byteLength / pageSize) }];
    case sectionID.global:
      return [{ id: section.id, body: globalsBody(globals.map((_, i) => started.exports[globalName(i)].value)) }];
    case sectionID.dataCount:
      return [];
    case sectionID.data:
      return [{ id: section.id, body: dataBody(started.exports.mem.buffer) }];
  }
  return [section];
}

/** Creates a memory section with another minimum, in pages. */
function withMinimum(body, minimum) {
  const { maximum } = readMemory(body);
  if (maximum === undefined) throw new Error("the memory of the module has no maximum");
  return writeMemory({ minimum, maximum });
}

function globalName(index) {
  return `started-global-${index}`;
}

/** Adds exports of all globals to the exports. */
function withGlobals({ id, body }) {
  const reader = new Reader(body);
  const count = reader.number();
  const added = globals.map((_, index) => {
    const name = Buffer.from(globalName(index));
    return Buffer.concat([encodeNumber(name.length), name, Buffer.from([3]), encodeNumber(index)]);
  });
  return { id, body: Buffer.concat([encodeNumber(count + globals.length), body.subarray(reader.at), ...added]) };
}

/** Reads the types of the globals, which are integers with constant initial values. */
function readGlobals(body) {
  const reader = new Reader(body);
  return Array.from({ length: reader.number() }, () => {
    const type = reader.byte();
    const mutable = reader.byte();
    const instruction = reader.byte();
    if (instruction !== 0x41 && instruction !== 0x42) throw new Error("a global is no integer constant");
    while (reader.byte() >= 0x80);
    reader.byte(); // end
    return { type, mutable, instruction };
  });
}

function globalsBody(values) {
  const written = globals.map(({ type, mutable, instruction }, i) =>
    Buffer.concat([Buffer.from([type, mutable, instruction]), encodeSigned(values[i]), Buffer.from([0x0b])]));
  return Buffer.concat([encodeNumber(globals.length), ...written]);
}

/** Creates the data section: the words that are not zero, with gaps of up to four words. */
function dataBody(buffer) {
  const words = new BigUint64Array(buffer);
  const runs = [];
  for (let at = 0; at < words.length; at++) {
    if (words[at] === 0n) continue;
    const last = runs.at(-1);
    if (last && at - last.end <= 4) last.end = at + 1;
    else runs.push({ start: at, end: at + 1 });
  }
  const segments = runs.flatMap(({ start, end }) => [
    Buffer.from([0, 0x41]), encodeSigned((start * 8) | 0), Buffer.from([0x0b]),
    encodeNumber((end - start) * 8), Buffer.from(buffer, start * 8, (end - start) * 8),
  ]);
  return Buffer.concat([encodeNumber(runs.length), ...segments]);
}

/** Describes the JavaScript values of the program in a custom section. */
function description() {
  const { go, callbacks, clock } = started;
  const state = {
    nanoseconds: clock.nanoseconds,
    functions: Object.fromEntries(Object.entries(globalThis).filter(([, value]) => callbacks.has(value)).map(([name, value]) => [name, callbacks.get(value)])),
    values: go._values.slice(common).map(describe),
    references: go._goRefCounts.map((count) => (count === Infinity ? null : count)),
    free: go._idPool,
  };
  const name = Buffer.from("started");
  return { id: sectionID.custom, body: Buffer.concat([encodeNumber(name.length), name, Buffer.from(JSON.stringify(state))]) };
}

function describe(value) {
  if (value === null) return null;
  const path = pathOf(value);
  if (path === undefined) throw new Error(`the program holds a value without a name: ${inspect(value)}`);
  return { path, type: typeof value };
}

/** Finds the path of a value from globalThis. */
function pathOf(value) {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (globalThis[name] === value) return name;
  }
  for (const owner of ["fs", "process", "path"]) {
    for (const [name, member] of Object.entries(globalThis[owner])) {
      if (member === value) return `${owner}.${name}`;
    }
  }
  return undefined;
}
