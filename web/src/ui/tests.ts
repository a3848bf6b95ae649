import type { Range, TestedDocument, TestedRule, TestResult } from "../api.gen";
import { element } from "../dom";
import type { DocumentName } from "../scenario";
import type { Session } from "../session";
import { countsOf, coverageSummaryOf, passes, summaryOf } from "../tests";

/** Shows the expectations in the documents: their number in the request bar, and a list. */
export function bindTests(session: Session): void {
  const summary = element("tests-summary", HTMLButtonElement);
  const list = element("tests", HTMLElement);
  session.subscribe(({ tested }, previous) => {
    if (tested === previous.tested) return;
    summary.hidden = tested === undefined;
    list.replaceChildren(...(tested ? rendered(tested) : []));
    if (!tested) return;
    const counts = countsOf(tested);
    const isMet = passes(counts);
    summary.textContent = summaryOf(counts);
    summary.classList.toggle("is-met", isMet);
    summary.classList.toggle("is-unmet", !isMet);
  });
}

function rendered(tested: TestResult): readonly HTMLElement[] {
  return [
    made("p", "tests-result", `${summaryOf(countsOf(tested))}.`),
    made("p", "quiet", "The comments define the operations, as for crdlab test. The other panels evaluate the request above."),
    ...(tested.approximate ? [made("p", "quiet", "Approximate: the newest libraries judged.")] : []),
    ...tested.problems.map((problem) => made("p", "over", problem)),
    ...tested.documents.flatMap(documentOf),
    ...rulesOf(tested.rules),
  ];
}

function documentOf({ document: name, range, kind, name: object, operation, expectations, unexpected }: TestedDocument): readonly HTMLElement[] {
  const title = made("h3");
  title.append(placed(name, range, made("span", "", `${kind} ${object}`)), made("small", "quiet", operation));
  const list = made("ul");
  list.append(
    ...unexpected.map(({ range: at, message }) => {
      const [text = "", ...advice] = message.split("\n");
      const item = row("is-error", "unexpected", name, at, text);
      item.append(...advice.map((line) => made("p", "hint", line)));
      return item;
    }),
    ...expectations.map(({ range: at, text, problem }) =>
      problem === "" ? row("is-pass", "met", name, at, text) : row("is-error", "not met", name, at, text, problem)),
  );
  if (list.children.length === 0) list.append(row("is-pass", "as expected", name, range, operation === "stored" ? "the stored object" : "accepted"));
  return [title, list];
}

/** Shows which rules were seen to hold and to fail, and why others were not evaluated. */
function rulesOf(rules: readonly TestedRule[]): readonly HTMLElement[] {
  if (rules.length === 0) return [];
  const list = made("ul");
  list.append(...rules.map((tested) => {
    const { range, rule, version, holds, fails, unevaluated } = tested;
    const item = row(...coverageOf(tested), "crd", range, rule);
    item.append(made("p", "tests-counts quiet", `${version}: ${unevaluated || `held ${holds}×, failed ${fails}×`}`));
    return item;
  }));
  return [made("h3", "", coverageSummaryOf(rules)), list];
}

/** Returns the style and the word for the coverage of a rule. */
function coverageOf({ holds, fails, cannotFail }: TestedRule): [state: string, word: string] {
  if (holds > 0 && fails > 0) return ["is-pass", "covered"];
  return cannotFail ? ["", "cannot fail"] : ["is-warning", "not covered"];
}

function row(state: string, word: string, name: DocumentName, range: Range, text: string, problem = ""): HTMLElement {
  const item = made("li");
  item.append(
    made("span", `tag ${state}`, word),
    placed(name, range, made("code", "", text)),
    made("span", "problem-place", `line ${range.start.line + 1}`),
  );
  if (problem !== "") item.append(made("p", "tests-problem", problem));
  return item;
}

/** Returns a button that leads to a range. */
function placed(name: DocumentName, { start, end }: Range, content: HTMLElement): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "goto";
  const place = { document: name, line: start.line, character: start.character, endLine: end.line, endCharacter: end.character };
  for (const [key, value] of Object.entries(place)) button.dataset[key] = String(value);
  button.append(content);
  return button;
}

function made(tag: string, className = "", text = ""): HTMLElement {
  const node = document.createElement(tag);
  if (className !== "") node.className = className;
  node.textContent = text;
  return node;
}
