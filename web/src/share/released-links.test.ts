import { expect, test } from "vitest";
import { decode } from "./codec";
import { parseFragment } from "./fragment";
import released from "./released-links.json";

// Published links, by format. Add entries, but never change them.
for (const { about, hash, scenario } of released) {
  test(`the link to ${about} opens for ever`, async () => {
    expect(await decode(parseFragment(hash).payload ?? "")).toMatchObject(scenario);
  });
}
