import { describe, expect, test } from "vitest";
import { emptyScenario, type Scenario } from "../scenario";
import { decode, encode, maxDecoded, maxEncoded, UnreadableLink } from "./codec";

const scenario: Scenario = {
  ...emptyScenario,
  crd: "kind: CustomResourceDefinition\n# üñí 🙂\n",
  object: "kind: CronTab\n",
  fieldValidation: "Ignore",
};

/** A scenario without default values. */
const full: Scenario = {
  kubernetes: "1.30",
  crd: "a",
  go: "package a",
  crdIndex: 3,
  object: "b",
  oldCrd: "c",
  oldObject: "d",
  conversion: "e",
  admission: "f",
  crdOperation: "apply",
  crdFieldManager: "flux",
  crdForce: true,
  operation: "apply",
  fieldManager: "me",
  force: true,
  replicas: 5,
  user: "jane",
  groups: "cooks,guests",
  fieldValidation: "Warn",
  now: "2026-01-02T03:04:05Z",
};

async function pack(text: string): Promise<string> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

describe("a scenario in a link", () => {
  test("comes back as it was", async () => {
    expect(await decode(await encode(scenario))).toEqual(scenario);
  });

  test("keeps every field", async () => {
    expect(await decode(await encode(full))).toEqual(full);
  });

  test("is short without what goes without saying", async () => {
    const short = await encode({ ...emptyScenario, crd: "a" });
    expect(short).toBe(await pack('{"crd":"a"}'));
  });

  test("is written in the alphabet of base64url", async () => {
    const long = { ...scenario, crd: Array.from({ length: 5000 }, (_, i) => `k${i}: ${i * i}`).join("\n") };
    expect(await encode(long)).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(await decode(await encode(long))).toEqual(long);
  });

  // Links of this format must stay readable forever.
  test("of format 1 is readable", async () => {
    const link =
      "Rco7CoAwDADQq0hmT9BVTyCii0vapBCtCfQziXcXXZzfuyBkAgeHKLluaKXaOXGxlgOPHEWliumm0IP5nUP9bzad0X8UhRMtmITw7eBgxaxwPw";
    expect(await decode(link)).toEqual({
      ...emptyScenario,
      crd: "kind: CustomResourceDefinition\n",
      object: "kind: CronTab\n",
      fieldValidation: "Warn",
    });
  });

  test("may hold fields that this version does not know", async () => {
    const payload = await pack(JSON.stringify({ ...scenario, later: { version: 2 }, object: 7 }));
    expect(await decode(payload)).toEqual({ ...scenario, object: "" });
  });

  test("of no known validation is strict", async () => {
    const payload = await pack(JSON.stringify({ ...scenario, fieldValidation: "Sloppy" }));
    expect((await decode(payload)).fieldValidation).toBe("Strict");
  });
});

describe("a link is refused that", () => {
  const cases: Record<string, () => string | Promise<string>> = {
    "is not base64url": () => "%%%",
    "is not deflated": () => "AAAA",
    "is cut off": async () => (await encode(scenario)).slice(0, 20),
    "does not hold JSON": () => pack("{"),
    "does not hold an object": () => pack("[]"),
    "holds nothing": () => "",
    "is too long": () => "A".repeat(maxEncoded + 1),
    "unpacks to too much": () => pack(" ".repeat(maxDecoded + 1)),
  };
  for (const [name, payload] of Object.entries(cases)) {
    test(name, async () => {
      await expect(decode(await payload())).rejects.toBeInstanceOf(UnreadableLink);
    });
  }
});
