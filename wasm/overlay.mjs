// Writes the overlay of Go's standard library for WebAssembly builds of the engine.
//
//   node overlay.mjs OVERLAY
//
// The page opens no connection, but http.Client retains the default transport, and thus all of
// crypto/tls. With the overlay, clients have no default transport, and dialling fails.
//
// Go compiles the sort functions of package slices again for each type of element, about 15 kB each
// for pattern-defeating quicksort. The overlay has a stable merge sort in their place, with 2 kB.
//
// The copies of the edited files are beside OVERLAY. They fit the installed version of Go only.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [overlay] = process.argv.slice(2);
const library = join(execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim(), "src");

/** Sorts short slices by insertion, and longer ones by halves. The buffer has at least half of the length, if any. */
const mergeSort = `
func mergeSort[E any](x, buffer []E, cmp func(a, b E) int) {
	if len(x) <= 12 {
		insertionSortCmpFunc(x, 0, len(x), cmp)
		return
	}
	half := len(x) / 2
	if buffer == nil {
		buffer = make([]E, half+1)
	}
	mergeSort(x[:half], buffer, cmp)
	mergeSort(x[half:], buffer, cmp)
	first := buffer[:copy(buffer, x[:half])]
	at := 0
	for second := half; len(first) > 0 && second < len(x); at++ {
		if cmp(first[0], x[second]) <= 0 {
			x[at], first = first[0], first[1:]
		} else {
			x[at] = x[second]
			second++
		}
	}
	copy(x[at:], first)
}
`;

const replaced = [
  edit("net/http/transport.go", /^(var DefaultTransport RoundTripper) = &Transport\{[^]*?^}\n/m, "$1\n"),
  edit("slices/sort.go", /^(func Sort\[.*\n)[^]*?^}\n([^]*?^func SortFunc\[.*\n)[^]*?^}\n([^]*?^func SortStableFunc\[.*\n)[^]*?^}\n/m,
    `$1\tmergeSort(x, nil, cmp.Compare[E])\n}\n$2\tmergeSort(x, nil, cmp)\n}\n$3\tmergeSort(x, nil, cmp)\n}\n${mergeSort}`),
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
