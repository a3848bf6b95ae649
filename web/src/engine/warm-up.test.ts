import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { View } from "../api.gen";
import { WarmUp } from "./warm-up";

const view: View = { scenario: { crd: "a", object: "b" }, panels: ["outcome"] };

/** Creates a warm-up with a fixed evaluation time, in ms, that records its views. */
function warmUp(took: number): { warmUp: WarmUp; evaluated: View[] } {
  const evaluated: View[] = [];
  return {
    warmUp: new WarmUp((repeated) => {
      evaluated.push(repeated);
      vi.advanceTimersByTime(took);
    }),
    evaluated,
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("an evaluation is repeated", () => {
  test("for a while and no longer, at times with a CRD that is new to the engine", () => {
    const { warmUp: tested, evaluated } = warmUp(750);
    tested.follow(view);
    vi.runAllTimers();
    const crds = evaluated.map(({ scenario }) => scenario.crd);
    expect(crds).toEqual(["a\n# 1", "a", "a", "a", "a\n# 5", "a", "a", "a"]);
    expect(evaluated[1]).toEqual(view);
    tested.follow(view);
    vi.runAllTimers();
    expect(evaluated).toHaveLength(8);
  });

  test("only after a pause, and the last", () => {
    const { warmUp: tested, evaluated } = warmUp(6000);
    tested.follow(view);
    vi.advanceTimersByTime(299);
    expect(evaluated).toHaveLength(0);
    tested.stop();
    tested.follow({ ...view, scenario: { crd: "c" } });
    vi.runAllTimers();
    expect(evaluated.map(({ scenario }) => scenario.crd)).toEqual(["c\n# 1"]);
  });

  test("not if it would hold up what is typed", () => {
    const { warmUp: tested, evaluated } = warmUp(750);
    tested.follow({ ...view, scenario: { crd: "", object: "a".repeat(60_000) } });
    vi.runAllTimers();
    expect(evaluated).toHaveLength(0);
    const large = { ...view, scenario: { crd: "a".repeat(60_000), object: "b" } };
    tested.follow(large);
    vi.runAllTimers();
    expect(evaluated).toEqual(Array.from({ length: 8 }, () => large));
  });

  test("not while they are not permitted", () => {
    const { warmUp: tested, evaluated } = warmUp(6000);
    tested.follow(view);
    tested.permit(false);
    vi.runAllTimers();
    tested.follow(view);
    vi.runAllTimers();
    expect(evaluated).toHaveLength(0);
    tested.permit(true);
    tested.follow(view);
    vi.runAllTimers();
    expect(evaluated).toHaveLength(1);
  });
});
