// Small changes of the constraints of the CRDs and policies, as "crdlab test --mutate" tries them.

import type { MissedChange, MutateResult } from "./api.gen";
import { isPending } from "./evaluation";
import type { Marked } from "./editor/markers";
import type { DocumentName, Scenario } from "./scenario";
import type { Session, SessionState } from "./session";
import { afterPause } from "./throttle";

/** What the tests say about the changes so far. */
export interface Mutations extends MutateResult {
  readonly scenario: Scenario;
}

/** The time in ms after a result before the changes are tried again. */
const pause = 600;

/**
 * The most work that an edit may cause, about three seconds on two cores. The engine judges the whole
 * CRD for each change, so the work is the number of changes times the length of the CRD. Time is no
 * limit here: one busy moment would end the repetitions.
 */
const mostWork = 400_000;

/** Reports whether the changes are tried again after each edit. */
function isRepeated(mutations: Mutations | undefined): mutations is Mutations {
  return mutations !== undefined && mutations.total * mutations.scenario.crd.length <= mostWork;
}

/** Reports whether all changes of the present documents have been tried. */
export function isDone({ scenario, mutations }: SessionState): boolean {
  return mutations?.scenario === scenario && mutations.next === mutations.total;
}

/** Reports whether changes of the present documents are being tried. */
export function isRunning(state: SessionState): boolean {
  return state.mutations?.scenario === state.scenario && !isDone(state);
}

type Ask = (scenario: Scenario, from: number) => Promise<MutateResult | undefined>;

/** Tries all changes, until the documents change. */
export async function mutate(session: Session, ask: Ask): Promise<void> {
  const { scenario, mutations } = session.state;
  // The list of the former documents stays until there is another one, if that is soon.
  const isSoon = isRepeated(mutations);
  let all: MutateResult | undefined;
  do {
    const part = await ask(scenario, all?.next ?? 0);
    if (session.state.scenario !== scenario) return;
    if (!part) {
      session.update({ mutations: undefined });
      return;
    }
    all = {
      ...part,
      noticed: part.noticed + (all?.noticed ?? 0),
      open: part.open + (all?.open ?? 0),
      missed: [...(all?.missed ?? []), ...part.missed].sort(byPlace),
    };
    if (!isSoon || all.next === all.total) session.update({ mutations: { ...all, scenario } });
  } while (all.next < all.total);
}

function byPlace({ document, range: { start: a } }: MissedChange, { document: other, range: { start: b } }: MissedChange): number {
  if (document !== other) return document === "crd" ? -1 : 1;
  return a.line - b.line || a.character - b.character;
}

/** Tries the changes again after each result, once they were tried, if that is little work. */
export function keepMutated(session: Session, ask: Ask): void {
  const soon = afterPause(pause, () => {
    const { scenario, mutations } = session.state;
    if (isRepeated(mutations) && mutations.scenario !== scenario && !isPending(session.state)) void mutate(session, ask);
  });
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario || isPending(state) !== isPending(previous)) soon();
  });
}

/** Returns the constraints of a document whose changes no test notices, for the marks in its editor. */
export function missedIn({ scenario, mutations }: SessionState, name: DocumentName): readonly Marked[] {
  if (!mutations || (name !== "crd" && name !== "admission") || mutations.scenario[name] !== scenario[name]) return [];
  // Each constraint has one mark, although several changes of it may go unnoticed.
  const first = new Map<string, MissedChange>();
  for (const missed of mutations.missed) {
    if (missed.document !== name) continue;
    const key = JSON.stringify(missed.range);
    if (!first.has(key)) first.set(key, missed);
  }
  return [...first.values()].map(({ range, change, fix }) => ({
    range, severity: "info", message: `No test notices ${change}.`, hint: "",
    // The fix is for the objects as they were.
    fixes: fix && mutations.scenario === scenario ? [fix] : [],
  }));
}

/** Summarizes the changes: "The tests notice 12 of 15 changes." */
export function summaryOf({ noticed, missed, open, next, total, failing }: MutateResult): string {
  if (failing) return "The tests fail. Mend them first: only tests that pass can notice a change.";
  if (total === 0) return "There is no constraint to change.";
  const sum = `The tests notice ${noticed} of ${noticed + missed.length} changes.`;
  if (next < total) return `${sum} ${next} of ${total} tried`;
  return open === 0 ? sum : `${sum} For ${open} more, crdlab found no object that shows the difference.`;
}
