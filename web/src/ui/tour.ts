import { element, write } from "../dom";
import { isPending } from "../evaluation";
import { read, write as store } from "../local";
import type { Session, SessionState } from "../session";
import { parseFragment } from "../share/fragment";

const tourKey = "crdlab.tour";

/** Leads to the next step of the tour as soon as the API server accepts everything in the opened one. */
export function bindTour(session: Session): void {
  const notice = element("tour", HTMLElement);
  let { tour: step } = parseFragment(location.hash);
  let next: number | undefined;
  const show = (state: SessionState): void => {
    const isDone = step !== undefined && isAccepted(state);
    write(notice, { hidden: !isDone });
    if (step === undefined || !isDone) return;
    write(element("tour-done", HTMLElement), { textContent: `Step ${step} of the tour is done.` });
    element("tour-next", HTMLAnchorElement).href = `learn/tour/#step-${step + 1}`;
    store(tourKey, JSON.stringify([...new Set([...doneSteps(), step])]));
  };
  show(session.state);
  session.subscribe((state, previous) => {
    // Whoever opens another scenario leaves the step.
    if (state.scenario !== previous.scenario && state.origin === "opened") [step, next] = [next, undefined];
    show(state);
  });
  addEventListener("hashchange", ({ newURL }) => {
    next = parseFragment(new URL(newURL).hash).tour;
  });
}

/** Reports whether the shown answer is the scenario's, and has no error. */
function isAccepted(state: SessionState): boolean {
  const { answer } = state;
  return answer !== undefined && !isPending(state) && answer.outputs.length > 0 && answer.findings.every(({ severity }) => severity !== "error");
}

function doneSteps(): readonly unknown[] {
  try {
    const steps: unknown = JSON.parse(read(tourKey) ?? "[]");
    return Array.isArray(steps) ? steps : [];
  } catch {
    return [];
  }
}
