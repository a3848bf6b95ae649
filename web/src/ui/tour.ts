import { element, write } from "../dom";
import { isPending } from "../evaluation";
import { read, write as store } from "../local";
import type { Session, SessionState } from "../session";
import { parseFragment } from "../share/fragment";

const tourKey = "crdlab.tour";

/** Shows the task of the opened step of the tour, and leads to the next one as soon as the API server accepts everything. */
export function bindTour(session: Session): void {
  const place = element("tour", HTMLElement);
  let step: number | undefined;
  let next: number | undefined;
  // The entry of the history keeps the step over a reload, which drops the fragment of an edited scenario.
  const enter = (opened: number | undefined): void => {
    step = opened;
    history.replaceState(step === undefined ? null : { tour: step }, "");
  };
  enter(parseFragment(location.hash).tour ?? keptStep());
  const show = (state: SessionState): void => {
    write(place, { hidden: step === undefined });
    const isDone = step !== undefined && isAccepted(state);
    for (const task of place.querySelectorAll<HTMLElement>("[data-step]")) {
      const isOpen = task.dataset["step"] === String(step);
      write(task, { hidden: !isOpen });
      task.toggleAttribute("data-done", isOpen && isDone);
      const mark = task.querySelector("strong");
      if (mark) write(mark, { textContent: isOpen && isDone ? "Done." : "" });
    }
    if (step === undefined || !isDone) return;
    store(tourKey, JSON.stringify([...new Set([...doneSteps(), step])]));
  };
  show(session.state);
  session.subscribe((state, previous) => {
    // Whoever opens another scenario leaves the step.
    if (state.scenario !== previous.scenario && state.origin === "opened") {
      enter(next);
      next = undefined;
    }
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

function keptStep(): number | undefined {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && "tour" in state && typeof state.tour === "number" ? state.tour : undefined;
}

function doneSteps(): readonly unknown[] {
  try {
    const steps: unknown = JSON.parse(read(tourKey) ?? "[]");
    return Array.isArray(steps) ? steps : [];
  } catch {
    return [];
  }
}
