// Writes the overlay of Go's standard library for WebAssembly builds of the engine.
//
//   node overlay.mjs OVERLAY
//
// The page opens no connection, but http.Client retains the default transport, and thus all of
// crypto/tls. With the overlay, clients have no default transport, and dialling fails. The copies
// of the edited files are beside OVERLAY. They fit the installed version of Go only.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [overlay] = process.argv.slice(2);
const library = join(execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim(), "src");

const replaced = [
  edit("net/http/transport.go", /^(var DefaultTransport RoundTripper) = &Transport\{[^]*?^}\n/m, "$1\n"),
  edit("net/dial.go", /^(func \(d \*Dialer\) DialContext\(.*\n)[^]*?^}\n/m, "$1\treturn nil, UnknownNetworkError(network)\n}\n"),
];
writeFileSync(overlay, JSON.stringify({ Replace: Object.fromEntries(replaced) }));

/** Replaces the pattern, which must match, in a copy of a file. Returns the file and the copy. */
function edit(name, pattern, replacement) {
  const file = join(library, name);
  const text = readFileSync(file, "utf8");
  if (!pattern.test(text)) throw new Error(`${pattern} does not match ${file} any more: adapt overlay.mjs`);
  const copy = `${overlay}.${name.replaceAll("/", ".")}.txt`; // not part of a package
  writeFileSync(copy, text.replace(pattern, replacement));
  return [file, copy];
}
