// Checks whole repositories of public projects, and compares the rejections with the known ones.
//
//   node repositories.mjs CRDLAB [MODULE...]
//   UPDATE=1 node repositories.mjs CRDLAB
//
// For each module of testdata/repositories.txt, the script downloads the module, and runs "crdlab check --helm ." there. The file
// lists the rejections with a judgement: "true" for a document that no API server accepts as it is, "useful" for one
// whose author would want to know, and "noise" for one that nobody sends to a cluster. A rejection that is not listed, or that is gone, fails.
// Then the language server judges each file with a judged document: an error in a file in which "crdlab check" finds none fails, too.
// With UPDATE, the script writes the file, and new rejections get the judgement "new".

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { errorsInEditor } from "./editor.mjs";

const [crdlab, ...chosen] = process.argv.slice(2);
const file = new URL("testdata/repositories.txt", import.meta.url);
const maxMessage = 120;

/** Returns the judgements of the rejections by module. */
function read() {
  const known = new Map();
  let module;
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line.startsWith("# ")) known.set((module = line.slice(2)), new Map());
    else if (line !== "") known.get(module).set(line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t")));
  }
  return known;
}

/** Checks a module, and returns the result and its rejections as lines. */
function check(module) {
  const { Dir: cwd } = JSON.parse(execFileSync("go", ["mod", "download", "-json", module], { cwd: tmpdir(), encoding: "utf8" }));
  const start = performance.now();
  const { stdout, stderr, error } = spawnSync(resolve(crdlab), ["check", ".", "--helm", "--no-notes", "--output", "json"], { cwd, encoding: "utf8", maxBuffer: 1 << 28, timeout: 120_000 });
  if (error) throw error;
  if (stdout === "") throw new Error(`${module}: ${stderr}`);
  const took = Math.round(performance.now() - start);
  const result = JSON.parse(stdout);
  const rejected = result.documents.filter(({ verdicts: [verdict] }) => !verdict.accepted && verdict.unknown === "");
  const lines = rejected.map(({ path, line, kind, verdicts: [{ findings, status }] }) => {
    const first = findings.find(({ severity }) => severity === "error") ?? status;
    return `${path}:${line} ${kind} ${[first.field, first.message].filter(Boolean).join(": ").replaceAll(/\s+/g, " ").slice(0, maxMessage)}`;
  });
  return { cwd, result, took, lines: [...lines, ...result.problems.map(({ path, message }) => `${path} ${message}`)] };
}

const known = read();
let failed = false;
let files = 0;
const totals = { true: 0, useful: 0, noise: 0, new: 0 };
console.log("module                                                   documents  accepted  builds  skipped      ms");
for (const [module, judgements] of known) {
  if (chosen.length > 0 && !chosen.includes(module)) continue;
  const { cwd, result, took, lines } = check(module);
  const accepted = result.documents.filter(({ verdicts: [{ accepted }] }) => accepted).length;
  const figures = [result.documents.length, accepted, result.builds.length, result.skipped.length, took].map((n, i) => String(n).padStart([10, 9, 7, 8, 7][i]));
  console.log(module.padEnd(55), ...figures);
  for (const line of lines) {
    const judgement = judgements.get(line) ?? "new";
    totals[judgement]++;
    if (judgement === "new") console.log(`  new: ${line}`);
  }
  const refused = new Set(result.documents.flatMap(({ path, verdicts: [{ accepted, findings }] }) => [...(accepted ? [] : [path]), ...findings.map((finding) => finding.path)]));
  const judged = [...new Set(result.documents.map(({ path }) => path))].filter((path) => /\.(ya?ml|json)$/.test(path));
  const inEditor = await errorsInEditor(resolve(crdlab), cwd, judged);
  const onlyThere = [...inEditor].flatMap(([path, errors]) => (refused.has(path) ? [] : errors));
  for (const line of onlyThere) console.log(`  in an editor: ${line}`);
  files += judged.length;
  const gone = [...judgements.keys()].filter((line) => !lines.includes(line));
  for (const line of gone) console.log(`  gone: ${line}`);
  failed ||= gone.length + onlyThere.length > 0 || lines.some((line) => !judgements.has(line));
  known.set(module, new Map(lines.map((line) => [line, judgements.get(line) ?? "new"])));
}
console.log(Object.entries(totals).map(([judgement, n]) => `${n} ${judgement}`).join(", ") + `; ${files} files in an editor`);
if (process.env.UPDATE) {
  const sections = [...known].map(([module, lines]) => [`# ${module}`, ...[...lines].map(([line, judgement]) => `${judgement}\t${line}`)].join("\n"));
  writeFileSync(file, sections.join("\n") + "\n");
} else if (failed) process.exit(1);
