import { expect, test } from "vitest";
import costs from "../../../internal/ui/testdata/costs.json";
import { costText } from "./cost";

test.each(costs as [number, string][])("%d CEL cost units are written as %s", (cost, text) => {
  expect(costText(cost)).toBe(text);
});
