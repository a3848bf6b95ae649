import { expect, test, vi } from "vitest";
import { emptyScenario } from "./contract";
import { Engine } from "./engine/engine";
import { isPending, keepEvaluated } from "./evaluation";
import { Session } from "./session";

test("a fault ends the wait, on every panel", async () => {
  const session = new Session({
    scenario: emptyScenario,
    document: "object",
    opened: [],
    panel: "schema",
    theme: "system",
    answer: undefined,
    answered: undefined,
    withSchemas: false,
    engine: { at: "page", whole: false },
    online: true,
    notice: "",
  });
  const fault = JSON.stringify({ error: "now: must be an RFC 3339 time" });
  const engine = new Engine({
    inPage: { evaluate: () => Promise.resolve(fault), complete: () => Promise.reject(new Error("not asked for")) },
    onServer: undefined,
    onState: () => {},
    onIncomplete: () => {},
  });
  keepEvaluated(session, engine);
  expect(isPending(session.state)).toBe(true);
  await vi.waitFor(() => expect(session.state.notice).toBe("now: must be an RFC 3339 time"));
  expect(isPending(session.state)).toBe(false);
});
