import { expect, test } from "vitest";
import { documentAddress, UnusableAddress } from "./address";

const raw = "https://raw.githubusercontent.com/o/r";

const cases: [typed: string, fetched: string][] = [
  ["https://example.com/a/crd.yaml?x=1&y=2", "https://example.com/a/crd.yaml?x=1&y=2"],
  [" example.com:8443/crd.yaml\n", "https://example.com:8443/crd.yaml"],
  ["https://example.com/crd.yaml#L3", "https://example.com/crd.yaml"],
  ["https://github.com/o/r/blob/main/config/crd.yaml#L1-L20", `${raw}/main/config/crd.yaml`],
  ["https://github.com/o/r/blob/main/crd.yaml?plain=1", `${raw}/main/crd.yaml`],
  ["github.com/o/r/raw/refs/tags/v1.0/a%20b.yaml", `${raw}/refs/tags/v1.0/a%20b.yaml`],
  ["https://www.github.com/o/r/blob/v1/blob/crd.yaml", `${raw}/v1/blob/crd.yaml`],
  [`${raw}/main/crd.yaml`, `${raw}/main/crd.yaml`],
  ["https://github.com/o/r/releases/download/v1/crds.yaml", "https://github.com/o/r/releases/download/v1/crds.yaml"],
  ["https://github.com/o/r/tree/main/config", "https://github.com/o/r/tree/main/config"],
  ["https://github.com/o/r", "https://github.com/o/r"],
  ["https://gist.github.com/o/0a1b2c", "https://gist.githubusercontent.com/o/0a1b2c/raw"],
  ["https://gist.github.com/o/0a1b2c/raw/9f/crd.yaml", "https://gist.githubusercontent.com/o/0a1b2c/raw/9f/crd.yaml"],
  ["https://github.com.example.com/o/r/blob/main/crd.yaml", "https://github.com.example.com/o/r/blob/main/crd.yaml"],
];

for (const [typed, fetched] of cases) {
  test(`${typed.trim()} is fetched from ${fetched}`, () => {
    expect(documentAddress(typed).href).toBe(fetched);
  });
}

const unusable: [typed: string, problem: string][] = [
  ["", "not an address"],
  ["two words", "not an address"],
  ["https://", "not an address"],
  ["http://example.com/crd.yaml", "does not begin with https://"],
  ["http://127.0.0.1:8080/crd.yaml", "does not begin with https://"],
  ["file:///etc/passwd", "does not begin with https://"],
  ["javascript:alert(1)", "not an address"],
  ["javascript://example.com/%0aalert(1)", "does not begin with https://"],
  ["data:text/yaml,kind: A", "not an address"],
  ["https://me:secret@example.com/crd.yaml", "user name"],
];

for (const [typed, problem] of unusable) {
  test(`“${typed}” cannot be opened`, () => {
    expect(() => documentAddress(typed)).toThrow(UnusableAddress);
    expect(() => documentAddress(typed)).toThrow(problem);
  });
}
