import type { Change, Explanation, ExplainedRule, Fix, Range } from "../api.gen";
import { costText } from "./cost";

/** The actions of the links in a line. */
export interface Links {
  /** Shows the schema node of the field. */
  readonly schema: () => void;
  /** Shows the field in the result. */
  readonly result: () => void;
  /** Shows a rule in its document. */
  readonly rule: (range: Range) => void;
  /** Shows the row of a rule among all rules. */
  readonly row: (range: Range) => void;
  readonly apply: (fix: Fix) => void;
}

/** The rules that fit into a line; one more link leads to the others. */
const maxRules = 3;

/** Renders an explanation as the links of one line. */
export function renderExplanation(explanation: Explanation, links: Links): readonly HTMLElement[] {
  const { title, type, facts, schema, problem, changes, rules, isRule } = explanation;
  if (title === "") return [];
  const toField = schema ? links.schema : links.result;
  const line: HTMLElement[] = [link("explain-title", isRule ? `rule of ${title}` : title, toField)];
  if (type !== "") line.push(link("quiet", type, toField));
  for (const change of changes) line.push(link(`tag is-${change.op}`, actionOf(change), links.result, change.because));
  if (problem !== "" && !rules.some(({ bound }) => bound)) line.push(link("explain-problem", short(problem, 60), links.result, problem));
  for (const rule of rules.slice(0, maxRules)) line.push(ruleOf(rule, isRule, links));
  if (rules.length > maxRules && rules[maxRules]) {
    const { range } = rules[maxRules].rule;
    line.push(link("quiet", `${rules.length - maxRules} more rules`, () => links.row(range)));
  }
  for (const { name, text } of facts) {
    line.push(link("quiet", name === "required" ? name : `${name} ${short(text, 40)}`, toField, `${name}: ${text}`));
  }
  return line;
}

/** Names the server's action: "defaulted to 1", "pruned". */
function actionOf({ cause, op, value }: Change): string {
  const names: Partial<Record<typeof cause, string>> = {
    nullDropped: "null dropped",
    server: op === "remove" ? "removed by the server" : "set by the server",
  };
  const action = names[cause] ?? cause;
  return op === "remove" ? action : `${action}: ${short(JSON.stringify(value), 24)}`;
}

/** Renders a rule with its result and cost. Its expression is omitted if the caret is on it. */
function ruleOf({ rule, result, bound }: ExplainedRule, isOnRule: boolean, links: Links): HTMLElement {
  const group = document.createElement("span");
  group.className = "explain-rule";
  const toRow = (): void => links.row(rule.range);
  if (!isOnRule) group.append(link("explain-code", short(rule.rule.replace(/\s+/g, " "), 48), () => links.rule(rule.range), rule.rule));
  if (result) group.append(link(`tag is-${result.outcome}`, result.outcome, toRow, result.message));
  // On the rule, the line begins with the problem.
  if (rule.error !== "" && !isOnRule) group.append(link("explain-problem", "does not compile", toRow, rule.error));
  if (rule.error === "") group.append(costOf(rule, toRow));
  if (bound) group.append(link("explain-fix", bound.title, () => links.apply(bound), "Apply"));
  return group;
}

function costOf({ estimatedCost, costLimit }: ExplainedRule["rule"], follow: () => void): HTMLElement {
  const isOver = estimatedCost > costLimit;
  return link(isOver ? "explain-problem" : "quiet", `cost ${costText(estimatedCost)} of ${costText(costLimit)}`, follow);
}

function link(className: string, text: string, follow: () => void, title = ""): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = text;
  if (title !== "" && title !== text) made.title = title;
  made.addEventListener("click", follow);
  return made;
}

/** Shortens a string to a maximum length; the end is the least telling part. */
function short(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}
