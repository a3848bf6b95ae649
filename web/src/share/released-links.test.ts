import { expect, test } from "vitest";
import { decode } from "./codec";
import { parseFragment } from "./fragment";
import released from "./released-links.json";

// Links as they were given out, by format. Entries are added, never changed.
for (const { about, hash, scenario } of released) {
  test(`the link to ${about} opens for ever`, async () => {
    expect(await decode(parseFragment(hash).payload ?? "")).toMatchObject(scenario);
  });
}
