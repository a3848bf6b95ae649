import { afterEach, expect, test, vi } from "vitest";
import { emptyScenario, type Scenario } from "../scenario";
import { keep } from "./short-link";

const scenario: Scenario = { ...emptyScenario, crd: "a", object: "b", fieldValidation: "Warn" };

afterEach(() => vi.unstubAllGlobals());

function answer(response: Response): ReturnType<typeof vi.fn> {
  const fetch = vi.fn(() => Promise.resolve(response));
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

test("the scenario is sent, and the id comes back", async () => {
  const fetch = answer(Response.json({ id: "1", url: "https://example.com/s/1" }, { status: 201 }));
  expect(await keep("/api/v1/share", scenario)).toBe("1");
  expect(fetch).toHaveBeenCalledWith(
    "/api/v1/share",
    expect.objectContaining({ method: "POST", body: JSON.stringify({ crd: "a", object: "b", fieldValidation: "Warn" }) }),
  );
});

const refusals: [string, Response, string][] = [
  ["a problem", Response.json({ detail: "No room." }, { status: 507 }), "No room."],
  ["an answer of a proxy", new Response("<html>", { status: 502 }), "the server answered 502"],
  ["an answer without an id", Response.json({}), "the server answered without an id"],
];

for (const [name, response, message] of refusals) {
  test(`${name} is an error that says so`, async () => {
    answer(response);
    await expect(keep("/api/v1/share", scenario)).rejects.toThrow(message);
  });
}
