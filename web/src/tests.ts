// The expectations in the comments of the documents, as "crdlab test" reads them.

import type { TestedRule, TestResult } from "./api.gen";
import { isPending } from "./evaluation";
import type { Marked } from "./editor/markers";
import type { DocumentName, Scenario } from "./scenario";
import type { Session } from "./session";
import { afterPause } from "./throttle";

/** The time in ms after a result before the tests run. */
const pause = 300;

const comment = /(?:^|[ \t])#[ \t]*(?:want(?:@[+-]\d+)?[ \t]|stored:|crdlab:)/m;

/** Reports whether the documents seem to have expectations. */
export function isTest({ crd, object }: Scenario): boolean {
  return comment.test(object) || comment.test(crd);
}

/** Runs the tests in the documents after each result. */
export function keepTested(session: Session, run: (scenario: Scenario) => Promise<TestResult | undefined>): void {
  const soon = afterPause(pause, () => {
    const { scenario } = session.state;
    if (isPending(session.state)) return;
    if (!isTest(scenario)) {
      session.update({ tested: undefined });
      return;
    }
    void run(scenario).then((tested) => {
      if (session.state.scenario === scenario) session.update({ tested });
    });
  });
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario || isPending(state) !== isPending(previous)) soon();
  });
}

/** Returns the expectations of a document that are not met, for the marks in its editor. */
export function unmetIn(tested: TestResult | undefined, name: DocumentName): readonly Marked[] {
  const documents = tested?.documents.filter(({ document }) => document === name) ?? [];
  return documents.flatMap(({ expectations }) => expectations)
    .filter(({ problem }) => problem !== "")
    .map(({ range, problem }) => ({ range, severity: "warning", message: problem, hint: "", fixes: [] }));
}

export interface Counts {
  readonly expected: number;
  readonly met: number;
  readonly unexpected: number;
}

export function countsOf({ documents, problems }: TestResult): Counts {
  const all = documents.flatMap(({ expectations }) => expectations);
  const unexpected = documents.flatMap((document) => document.unexpected).length + problems.length;
  return { expected: all.length, met: all.filter(({ problem }) => problem === "").length, unexpected };
}

export function passes({ expected, met, unexpected }: Counts): boolean {
  return met === expected && unexpected === 0;
}

/** Summarizes a result: "7 of 8 expectations met, 1 unexpected finding". */
export function summaryOf({ expected, met, unexpected }: Counts): string {
  const findings = `${unexpected === 0 ? "no" : unexpected} unexpected ${unexpected === 1 ? "finding" : "findings"}`;
  if (expected === 0) return `Test: ${findings}`;
  const sum = `${met} of ${expected} ${expected === 1 ? "expectation" : "expectations"} met`;
  return unexpected === 0 ? sum : `${sum}, ${findings}`;
}

/** Summarizes the coverage of rules: "2 of 3 rules were seen to hold and to fail; 1 more cannot fail". */
export function coverageSummaryOf(rules: readonly TestedRule[]): string {
  const covered = rules.filter(({ holds, fails }) => holds > 0 && fails > 0).length;
  const canFail = rules.filter(({ cannotFail }) => !cannotFail).length;
  const sum = `${covered} of ${canFail} rules were seen to hold and to fail`;
  return canFail === rules.length ? sum : `${sum}; ${rules.length - canFail} more cannot fail`;
}
