import { expect, test } from "vitest";
import type { Field } from "./api.gen";
import { FieldSearch, formatFieldPlace, keyOf, nodeAt, parseFieldPlace, treeOf } from "./fields";

function field(depth: number, name: string, description = ""): Field {
  return { name, depth, path: name, type: "Object", required: false, description, facts: [], rules: [], range: null };
}

const fields = [
  field(0, "Job"),
  field(1, "spec", "The desired state"),
  field(2, "ports"),
  field(3, "port", "The number of the port"),
  field(3, "protocol"),
  field(2, "replicas"),
  field(1, "status"),
  field(2, "ports"),
];
const tree = treeOf(fields);

test("fields in depth-first order become a tree", () => {
  const outline = (node: NonNullable<typeof tree>): unknown => [node.field.name, ...node.children.map(outline)];
  expect(tree && outline(tree)).toEqual(["Job", ["spec", ["ports", ["port"], ["protocol"]], ["replicas"]], ["status", ["ports"]]]);
});

test("no fields have no tree", () => {
  expect(treeOf([])).toBeUndefined();
});

test("a node is found by its names", () => {
  expect(tree && nodeAt(tree, ["status", "ports"])?.field).toBe(fields[7]);
  expect(tree && nodeAt(tree, ["status", "port"])).toBeUndefined();
});

test.each([
  ["protcol", ["spec/ports/protocol"]],
  ["status ports", ["status/ports"]],
  ["replicas", ["spec/replicas"]],
  ["desired", ["spec"]],
  ["nothing", []],
])("%s finds %j", (query, keys) => {
  const found = tree && new FieldSearch(tree).search(query);
  expect([...(found?.matches ?? [])]).toEqual(keys);
});

test("a search opens the fields that contain a match, and limits the matches", () => {
  const many = treeOf([field(0, "Job"), field(1, "spec"), ...Array.from({ length: 150 }, (_, i) => field(2, `item${i}`))]);
  const found = many && new FieldSearch(many).search("item");
  expect(found?.total).toBe(150);
  expect(found?.matches.size).toBe(50);
  expect([...(found?.ancestors ?? [])]).toEqual([keyOf(["spec"])]);
});

test.each([
  ["v1", { version: "v1", names: [] }],
  ["v1/spec/ports/name", { version: "v1", names: ["spec", "ports", "name"] }],
  ["v1/spec/a%2Fb/c%26d", { version: "v1", names: ["spec", "a/b", "c&d"] }],
])("the place %s is read and written", (text, place) => {
  expect(parseFieldPlace(text)).toEqual(place);
  expect(formatFieldPlace(place)).toBe(text);
});

test.each(["", "/spec", "v1/%zz"])("%j is not a place", (text) => {
  expect(parseFieldPlace(text)).toBeUndefined();
});
