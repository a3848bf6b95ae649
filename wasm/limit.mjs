// Sets the maximum of a module's memory. Go's linker writes none, so that an evaluation
// could use 4 GiB. At the maximum, an allocation fails and the program ends with "out of
// memory".
//
//   node limit.mjs FILE BYTES
//
// FILE is changed in place.

import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { pageSize, readMemory, readSections, sectionID, writeMemory, writeSections } from "./sections.mjs";

/** Returns a copy of a module whose only memory has the maximum, in bytes. */
export function limitMemory(module, maximum) {
  const sections = readSections(module);
  const memory = sections.find(({ id }) => id === sectionID.memory);
  if (!memory) throw new Error("the module has no memory of its own");
  const { minimum } = readMemory(memory.body);
  const limit = maximum / pageSize;
  if (minimum > limit) throw new Error(`the module needs ${minimum} pages, more than ${limit}`);
  memory.body = writeMemory({ minimum, maximum: limit });
  return writeSections(sections);
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
  const [file, bytes] = argv.slice(2);
  writeFileSync(file, limitMemory(readFileSync(file), Number(bytes)));
}
