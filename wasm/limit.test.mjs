// Tests limit.mjs with small modules.

import assert from "node:assert/strict";
import { it } from "node:test";
import { limitMemory } from "./limit.mjs";

const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** A type section, so that the memory section is not the first one. */
const types = [1, 4, 1, 0x60, 0, 0];
const exported = [7, 7, 1, 3, 0x6d, 0x65, 0x6d, 2, 0];
const moduleWith = (...memory) => Buffer.from([...header, ...types, 5, memory.length + 1, 1, ...memory, ...exported]);

const page = 65536;
const memoryOf = (module) => new WebAssembly.Instance(new WebAssembly.Module(module)).exports.mem;

for (const [name, module] of Object.entries({
  "without a maximum": moduleWith(0, 2),
  "with a larger maximum": moduleWith(1, 2, 0xac, 0x02),
})) {
  it(`limits the memory of a module ${name}`, () => {
    assert.equal(memoryOf(module).grow(200), 2);
    const memory = memoryOf(limitMemory(module, 200 * page));
    assert.equal(memory.buffer.byteLength, 2 * page);
    assert.throws(() => memory.grow(199), RangeError);
    assert.equal(memory.grow(198), 2);
  });
}

it("rejects modules that it cannot limit", () => {
  assert.throws(() => limitMemory(Buffer.from([...header, ...types]), page), /no memory of its own/);
  assert.throws(() => limitMemory(moduleWith(0, 2), page), /needs 2 pages, more than 1/);
  assert.throws(() => limitMemory(moduleWith(3, 2, 9), page), /flags 3/);
});
