import type { Field, FieldsResult, Rule } from "../api.gen";
import type { FieldNode } from "../fields";
import { costText } from "./cost";
import { button, count, make, placeButton } from "./elements";

/** Renders the line of a field: its name, type and default, and the start of its description. */
export function lineOf({ field }: FieldNode): HTMLElement {
  const line = make("summary", "field-line");
  line.append(make("span", "field-name", field.name), " ", make("span", "field-type", field.type));
  if (field.required) line.append(" ", make("span", "field-mark is-required", "required"));
  const preset = field.facts.find(({ name }) => name === "default");
  if (preset) line.append(" ", make("span", "field-mark", `default ${short(preset.text, 24)}`));
  if (field.rules.length > 0) line.append(" ", make("span", "field-mark", count(field.rules.length, "rule")));
  if (field.description !== "") line.append(" ", make("span", "field-about", firstSentence(field.description)));
  return line;
}

/** Renders the details of a field in the playground. */
export function detailsOf(node: FieldNode, insert: () => void): HTMLElement {
  const { field: { range } } = node;
  return bodyOf(node, ruleOf, [
    ...(node.names.length > 0 ? [button("button", "Insert into the object", insert)] : []),
    ...(range ? [placeButton("button", "Show in the CRD", "crd", range)] : []),
  ]);
}

/** Renders the details of a field without the fields of its value: actions follow what describes it. */
export function bodyOf({ field }: FieldNode, ruleOf: (rule: Rule) => readonly HTMLElement[], buttons: readonly HTMLElement[]): HTMLElement {
  const body = make("div", "field-body");
  if (field.description !== "") body.append(make("p", "field-description", field.description));
  if (field.facts.length > 0) body.append(factsOf(field));
  if (field.rules.length > 0) body.append(rulesOf(field.rules, ruleOf));
  const actions = make("p", "field-actions");
  actions.append(...buttons);
  if (field.path !== "") actions.append(make("code", "field-path", field.path));
  if (actions.childElementCount > 0) body.append(actions);
  return body;
}

function factsOf({ facts }: Field): HTMLElement {
  const list = make("dl", "field-facts");
  for (const { name, text } of facts) list.append(make("dt", "", name), make("dd", "", text));
  return list;
}

function rulesOf(rules: readonly Rule[], ruleOf: (rule: Rule) => readonly HTMLElement[]): HTMLElement {
  const list = make("ul", "field-rules");
  for (const rule of rules) {
    const item = make("li", "field-rule");
    item.append(...ruleOf(rule));
    list.append(item);
  }
  return list;
}

/** Renders a rule with its place in the CRD and its cost. */
function ruleOf(rule: Rule): readonly HTMLElement[] {
  const expression = placeButton("goto", "", "crd", rule.range);
  expression.append(make("code", "", rule.rule));
  const cost = rule.error === "" ? `cost ${costText(rule.estimatedCost)} of ${costText(rule.costLimit)}` : "does not compile";
  return [expression, ...(rule.message === "" ? [] : [make("p", "", rule.message)]), make("p", "quiet", cost)];
}

/** Says how many fields a tree has. */
export function allSentence({ fields = [], omitted = 0 }: Partial<FieldsResult> = {}): string {
  const all = count(Math.max(0, fields.length - 1), "field");
  return omitted === 0 ? all : `The first ${all}`;
}

/** Says how many fields a search found. */
export function foundSentence(shown: number, total: number): string {
  if (total === 0) return "No matching fields";
  return shown < total ? `${shown} of ${count(total, "field")}` : count(total, "field");
}

function short(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

/** Returns the start of a description, up to the end of its first sentence. */
function firstSentence(description: string): string {
  const line = description.replace(/\s+/g, " ");
  const end = line.search(/[.!?] /u);
  return short(end < 0 ? line : line.slice(0, end + 1), 200);
}
