import type { Range, TestedDocument, TestedRule, TestResult } from "../api.gen";
import { element, write } from "../dom";
import type { DocumentName } from "../scenario";
import type { Session } from "../session";
import { countsOf, coverageSummaryOf, passes, summaryOf } from "../tests";
import { make, placeButton } from "./elements";

/** Shows the expectations in the documents: their number in the tab, and a list. */
export function bindTests(session: Session): void {
  const summary = element("tests-summary", HTMLElement);
  const list = element("tests", HTMLElement);
  session.subscribe(({ tested }, previous) => {
    if (tested === previous.tested) return;
    list.replaceChildren(...(tested ? rendered(tested) : []));
    write(element("tests-form", HTMLElement), { hidden: tested !== undefined });
    summary.hidden = !tested;
    if (!tested) return;
    const counts = countsOf(tested);
    const isMet = passes(counts);
    summary.textContent = `${counts.met}/${counts.expected}`;
    summary.title = summaryOf(counts);
    summary.classList.toggle("is-unmet", !isMet);
  });
}

function rendered(tested: TestResult): readonly HTMLElement[] {
  return [
    make("p", "tests-result", `${summaryOf(countsOf(tested))}.`),
    make("p", "quiet", "The comments set the requests, as for crdlab test. The other tabs show the request above."),
    ...(tested.approximate ? [make("p", "quiet", "Approximate: the libraries of the newest release evaluated the test.")] : []),
    ...tested.problems.map((problem) => make("p", "over", problem)),
    ...tested.documents.flatMap(documentOf),
    ...rulesOf(tested.rules),
  ];
}

function documentOf({ document: name, range, kind, name: object, operation, expectations, unexpected }: TestedDocument): readonly HTMLElement[] {
  const title = make("h3");
  title.append(placed(name, range, make("span", "", `${kind} ${object}`)), make("small", "quiet", operation));
  const list = make("ul");
  list.append(
    ...unexpected.map(({ range: at, message }) => {
      const [text = "", ...advice] = message.split("\n");
      const item = row("is-error", "unexpected", name, at, text);
      item.append(...advice.map((line) => make("p", "hint", line)));
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
  const list = make("ul");
  list.append(...rules.map((tested) => {
    const { range, rule, version, holds, fails, unevaluated } = tested;
    const item = row(...coverageOf(tested), "crd", range, rule);
    item.append(make("p", "tests-counts quiet", `${version}: ${unevaluated || `held ${holds}×, failed ${fails}×`}`));
    return item;
  }));
  return [make("h3", "", coverageSummaryOf(rules)), list];
}

/** Returns the style and the word for the coverage of a rule. */
function coverageOf({ holds, fails, cannotFail }: TestedRule): [state: string, word: string] {
  if (holds > 0 && fails > 0) return ["is-pass", "covered"];
  return cannotFail ? ["", "cannot fail"] : ["is-warning", "not covered"];
}

function row(state: string, word: string, name: DocumentName, range: Range, text: string, problem = ""): HTMLElement {
  const item = make("li");
  item.append(
    make("span", `tag ${state}`, word),
    placed(name, range, make("code", "", text)),
    make("span", "problem-place", `line ${range.start.line + 1}`),
  );
  if (problem !== "") item.append(make("p", "tests-problem", problem));
  return item;
}

/** Returns a button that leads to a range. */
function placed(name: DocumentName, range: Range, content: HTMLElement): HTMLElement {
  const leading = placeButton("goto", "", name, range);
  leading.append(content);
  return leading;
}
