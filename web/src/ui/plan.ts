import type { PlanStep } from "../api.gen";
import { element, write } from "../dom";
import { isCurrent, isPlanning, isStep, type Plan, scenarioOf } from "../plan";
import { sameScenario, type Scenario } from "../scenario";
import type { Session, SessionState } from "../session";
import { besideOf, documentOf } from "../start";
import { button, count, make } from "./elements";

/** The words and styles for the outcomes of steps. */
const outcomes: Readonly<Record<PlanStep["outcome"], readonly [state: string, word: string]>> = {
  pass: ["is-pass", "accepted"],
  fail: ["is-fail", "breaks"],
  error: ["is-error", "refused"],
  skipped: ["is-warning", "may break"],
};

/** Shows the steps of a plan, which open as scenarios. */
export function bindPlan(session: Session, start: () => void): void {
  const begin = element("plan-make", HTMLButtonElement);
  const back = element("plan-back", HTMLButtonElement);
  const status = element("plan-status", HTMLElement);
  const summary = element("plan-summary", HTMLElement);
  const list = element("plan-steps", HTMLOListElement);
  const open = (scenario: Scenario): void => {
    const document = documentOf(scenario);
    session.update({ scenario, document, beside: besideOf(document), opened: [] });
  };
  begin.addEventListener("click", start);
  back.addEventListener("click", () => {
    if (session.state.plan) open(session.state.plan.scenario);
  });
  const show = (state: SessionState, previous?: SessionState): void => {
    const { plan, scenario } = state;
    if (plan === previous?.plan && scenario === previous?.scenario) return;
    write(begin, { disabled: isPlanning(state) || scenario.oldCrd === "" || scenario.crd === "", hidden: isStep(plan, scenario) });
    write(back, { hidden: !plan || sameScenario(plan.scenario, scenario) });
    write(status, { textContent: plan ? sentenceOf(plan, isCurrent(state)) : "" });
    if (plan !== previous?.plan) {
      summary.replaceChildren(...(plan?.summary ?? []).map((sentence) => make("li", "", sentence)));
      if (plan?.scenario !== previous?.plan?.scenario || (plan?.steps.length ?? 0) < list.children.length) list.replaceChildren();
      for (const step of plan?.steps.slice(list.children.length) ?? []) list.append(rendered(step, () => {
        const opened = session.state.plan && scenarioOf(session.state.plan, step);
        if (opened) open(opened);
      }));
    }
    plan?.steps.forEach((step, i) => {
      const own = scenarioOf(plan, step);
      list.children[i]?.toggleAttribute("aria-current", own !== undefined && sameScenario(own, scenario));
    });
  };
  show(session.state);
  session.subscribe((state, previous) => {
    // What was opened instead is another CRD.
    if (state.plan && state.origin === "opened" && !isCurrent(state)) session.update({ plan: undefined });
    else show(state, previous);
  });
}

function sentenceOf({ steps, done, failed, scenario }: Plan, current: boolean): string {
  if (done && steps.length === 0) return scenario.oldCrd === "" ? "" : "Nothing changes, so there is no step.";
  if (failed) return `The engine did not finish the plan after ${count(steps.length, "step")}.`;
  if (!current) return "The documents have changed since.";
  return done ? "" : `Trying step ${steps.length + 1}…`;
}

function rendered({ title, outcome, facts, scenario }: PlanStep, open: () => void): HTMLElement {
  const step = make("li", `plan-step is-${outcome}`);
  const details = document.createElement("details");
  details.open = outcome !== "pass";
  const head = document.createElement("summary");
  const [state, word] = outcomes[outcome];
  head.append(make("strong", "", title), make("span", `tag ${state}`, word));
  const list = make("dl");
  for (const { name, text } of facts) list.append(make("dt", "", name), name === "run" ? commandOf(text) : make("dd", "", text));
  details.append(head, list);
  if (scenario) step.append(button("button", "Open", open));
  step.append(details);
  return step;
}

/** Returns a command with a button that copies it. */
function commandOf(text: string): HTMLElement {
  const figure = make("figure");
  const copy = button("copy", "Copy");
  copy.dataset["copyText"] = "";
  figure.append(make("pre", "", text), copy);
  const description = make("dd");
  description.append(figure);
  return description;
}
