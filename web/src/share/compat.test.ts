import { expect, test } from "vitest";
import recorded from "../../../cmd/server/testdata/compat/fragments.json";
import { decode } from "./codec";
import { parseFragment } from "./fragment";

// Links that an earlier version created. Later scenarios may have more fields.
for (const { about, hash, scenario, ...link } of recorded) {
  test(`a recorded link to ${about} still opens`, async () => {
    const { payload, ...fragment } = parseFragment(hash);
    expect(fragment).toEqual(link);
    expect(payload === undefined).toBe(scenario === undefined);
    if (payload !== undefined) expect(await decode(payload)).toMatchObject(scenario ?? {});
  });
}
