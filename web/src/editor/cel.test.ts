import { expect, test } from "vitest";
import { celTokens } from "./cel";

const cases: [expression: string, coloured: string[]][] = [
  ["self.replicas <= 5 || has(self.image)", ["self", "has", "self"]],
  ["object.spec.self.all in ['a', \"b\\\"c\"]", ["object", "in", "'a'", '"b\\"c"']],
  ["self.all(x, x.has == true && x.in != null)", ["self", "all", "true", "null"]],
  ["self.matches(r'^a\\d+$') && b'x' != '' // self 'no'", ["self", "r'^a\\d+$'", "b'x'", "''"]],
  ['oldSelf == """a\n"b" c""" ? selfish : invalid', ["oldSelf", '"""a\n"b" c"""']],
  ["cel.bind(x, self.map(i, i), size(x) > 1 && exists)", ["cel.bind", "self", "map"]],
  ["'not closed && self", ["self"]],
  ["", []],
];

for (const [expression, coloured] of cases) {
  test(`${expression || "nothing"} is coloured`, () => {
    expect(celTokens(expression).map(({ from, to }) => expression.slice(from, to))).toEqual(coloured);
  });
}
