import { expect, test } from "vitest";
import type { Config } from "../config";
import { emptyScenario, type Scenario } from "../scenario";
import { Place } from "./place";

const scenario: Scenario = { ...emptyScenario, crd: "a", object: "b", fieldValidation: "Strict" };
const config: Config = {
  engine: { module: "", packed: "", runtime: "" },
  examples: "",
  evaluate: "",
  assist: "",
  share: "/api/v1/share",
  offline: "",
  home: "/",
  shared: "",
  example: "",
  releases: [],
  options: {},
};

test("a page opened by a short link knows that link", () => {
  const location = { origin: "https://crdlab.example.com", pathname: "/s/1", search: "" };
  const place = new Place({ ...config, shared: "1" }, location, scenario);
  expect(place.home).toBe("/");
  expect(place.shortLinkOf({ ...scenario })).toBe("/s/1");
  expect(place.shortLinkOf({ ...scenario, object: "c" })).toBeUndefined();
  expect(place.absolute("/s/1")).toBe("https://crdlab.example.com/s/1");
});

test("a page on a static host stays where it is", () => {
  const location = { origin: "https://host.example.com", pathname: "/team/crdlab/", search: "?a" };
  const place = new Place({ ...config, home: "", assist: "", share: "" }, location, scenario);
  expect(place.home).toBe("/team/crdlab/?a");
  expect(place.shortLinkOf(scenario)).toBeUndefined();
});

test("a link that was made is known", () => {
  const place = new Place(config, { origin: "", pathname: "/", search: "" }, scenario);
  place.addShortLink("2", scenario);
  expect(place.shortLinkOf(scenario)).toBe("/s/2");
});
