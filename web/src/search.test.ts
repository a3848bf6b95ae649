import { expect, test } from "vitest";
import { Index, wordsOf } from "./search";

test("words are split at punctuation and capitals", () => {
  expect(wordsOf("additionalPrinterColumns: v1beta1")).toEqual(
    ["additionalprintercolumns", "v1beta1", "additional", "printer", "columns", "v1beta1"]);
});

const index = new Index();
index.add("columns", [["Printer columns", 8], ["additionalPrinterColumns jsonPath", 1]]);
index.add("select", [["Selectable fields", 8], ["field selector", 6]]);
index.add("immutable", [["Immutable after creation", 8], ["Value is immutable", 2]]);
index.add("other", [["Defaults", 8], ["Columns of a printer", 4]]);

test.each([
  ["printer", ["columns", "other"]],
  ["prniter", ["columns", "other"]],
  ["printer json", ["columns"]],
  ["field selector", ["select"]],
  ["imutable", ["immutable"]],
  ["fild", ["select"]],
  ["xyz", []],
  ["value of immutable", []],
  ["my Value is immutable now", []],
  ["my Value is immutable after creation", ["immutable"]],
  ["", ["columns", "select", "immutable", "other"]],
])("%s finds %j", (query, ids) => {
  expect([...index.search(query).keys()]).toEqual(ids);
});

test("a match in a title scores higher than one in the text, and an exact one than a typo", () => {
  const score = (query: string, id: string) => index.search(query).get(id) ?? 0;
  expect(score("printer", "columns")).toBeGreaterThan(score("printer", "other"));
  expect(score("printer", "columns")).toBeGreaterThan(score("prniter", "columns"));
});
