import { expect, test } from "vitest";
import { Latest } from "./latest";

/** Creates a run that ends on command. */
function manual() {
  const started: { request: string; end: (result: string) => void; fail: (error: Error) => void }[] = [];
  const run = (request: string): Promise<string> =>
    new Promise((resolve, reject) => started.push({ request, end: resolve, fail: reject }));
  return { started, latest: new Latest(run) };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

test("one runs, the newest waits, those between are dropped", async () => {
  const { started, latest } = manual();
  const results = ["a", "b", "c", "d"].map((request) => latest.submit(request));
  expect(started.map(({ request }) => request)).toEqual(["a"]);
  expect(await results[1]).toBeUndefined();
  expect(await results[2]).toBeUndefined();
  started[0]?.end("A");
  expect(await results[0]).toBe("A");
  await settled();
  expect(started.map(({ request }) => request)).toEqual(["a", "d"]);
  started[1]?.end("D");
  expect(await results[3]).toBe("D");
});

test("a failure is told and does not stop the next", async () => {
  const { started, latest } = manual();
  const first = latest.submit("a");
  const second = latest.submit("b");
  started[0]?.fail(new Error("broken"));
  await expect(first).rejects.toThrow("broken");
  await settled();
  started[1]?.end("B");
  expect(await second).toBe("B");
});
