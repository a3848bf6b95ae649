import type { Range, TraceStep, TryResult } from "../api.gen";
import type { Stopped } from "../engine/assistant";
import { stopSentence } from "../engine/stop-sentence";
import { costText } from "./cost";

type Select = (range: Range) => void;

/** Renders the result of a trial. select highlights a part of the expression. */
export function renderTried(tried: TryResult | Stopped, select: Select): readonly HTMLElement[] {
  if ("seconds" in tried) {
    return [element("p", "over", `${stopSentence(tried)} Change the expression to try again.`)];
  }
  if (tried.problem !== "") return [element("p", "console-problem", tried.problem)];
  return [...outcomeOf(tried, select), ...costsOf(tried), selfOf(tried), ...traceOf(tried.trace, select)];
}

/** Summarizes the result for screen readers. */
export function summarizeTried(tried: TryResult | Stopped): string {
  if ("seconds" in tried) return stopSentence(tried);
  const [first] = tried.errors;
  if (first) return `${tried.errors.length === 1 ? "1 error" : `${tried.errors.length} errors`}: ${first.message}`;
  if (tried.failure !== "") return `Failed: ${tried.failure}`;
  return tried.problem || (tried.value === "" ? "" : `Is ${tried.value}`);
}

function outcomeOf(tried: TryResult, select: Select): readonly HTMLElement[] {
  if (tried.errors.length > 0) {
    const list = element("ul", "console-errors");
    for (const { message, range } of tried.errors) {
      const item = list.appendChild(element("li"));
      item.append(button(message, () => select(range)));
    }
    return [list];
  }
  if (tried.type === "") return [];
  const line = element("p", "console-value");
  if (tried.failure !== "") line.append(element("span", "tag is-error", "error"), element("code", "", tried.failure));
  else if (tried.why === "create") line.append(element("span", "tag is-skipped", "not evaluated"), "there is no existing object");
  else line.append(element("span", "quiet", "="), element("code", tried.type === "bool" ? `is-${tried.value}` : "", indentJSON(tried.value)));
  line.append(element("span", "console-type", tried.type));
  const notes = notesOf(tried).map((note) => element("p", "quiet", note));
  return [line, ...notes];
}

function notesOf({ type, optionalOldSelf }: TryResult): readonly string[] {
  const notes: string[] = [];
  if (type !== "bool") notes.push("Rules must return bool.");
  if (optionalOldSelf) notes.push("oldSelf is an optional value here, so the rule needs optionalOldSelf: true.");
  return notes;
}

function costsOf(tried: TryResult): readonly HTMLElement[] {
  const { type, value, failure, actualCost, expressionCost, cardinality, unbounded, estimatedCost, costLimit } = tried;
  if (type === "") return [];
  const line = element("p", "quiet");
  if (value !== "" || failure !== "") line.append(`Cost ${costText(actualCost)} · `);
  line.append(`at most ${costText(expressionCost)}`);
  if (cardinality > 1) line.append(` × ${costText(cardinality)} evaluations${unbounded ? ", because there is no limit" : ""}`);
  if (cardinality > 0) line.append(` · as a rule ${costText(estimatedCost)} of ${costText(costLimit)}`);
  if (cardinality > 0 && estimatedCost > costLimit) {
    return [line, element("p", "over", "As a rule, it would exceed the limit.")];
  }
  return [line];
}

function selfOf({ self }: TryResult): HTMLElement {
  const line = element("p", "console-self quiet", "self = ");
  line.append(element("code", "", self));
  return line;
}

function traceOf(trace: readonly TraceStep[], select: Select): readonly HTMLElement[] {
  if (trace.length < 2) return [];
  const box = element("div", "trace");
  const list = box.appendChild(element("ol"));
  for (const { expression, value, loop, range } of trace) {
    const item = list.appendChild(element("li"));
    const code = button("", () => select(range));
    code.append(element("code", "", expression));
    const result = element("span", "trace-value", "= ");
    result.append(element("code", "", value));
    item.append(code, " ", result);
    if (loop) item.append(" ", element("small", "", "last iteration"));
  }
  return [box];
}

/** Indents a long value, unless it is cut. */
function indentJSON(value: string): string {
  if (value.length < 60) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

function button(text: string, onClick: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "goto";
  made.textContent = text;
  made.addEventListener("click", onClick);
  return made;
}

function element(tag: string, className = "", text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}
