// The steps from the previous CRD to the CRD, as "crdlab plan" lists them.

import type { PlanResult, PlanStep } from "./api.gen";
import { sameScenario, type Scenario, scenarioFrom } from "./scenario";
import type { Session, SessionState } from "./session";

export interface Plan extends PlanResult {
  /** The scenario with both CRDs. */
  readonly scenario: Scenario;
  /** The engine gave no answer, so there are no further steps. */
  readonly failed: boolean;
}

/** Returns a step as a scenario. What is not its subject is as in the plan. */
export function scenarioOf({ scenario }: Plan, { scenario: step }: PlanStep): Scenario | undefined {
  return step ? { ...scenarioFrom(step), kubernetes: scenario.kubernetes, conversion: scenario.conversion } : undefined;
}

/** Reports whether a scenario is a step of a plan. */
export function isStep(plan: Plan | undefined, scenario: Scenario): boolean {
  return plan?.steps.some((step) => {
    const own = scenarioOf(plan, step);
    return own !== undefined && sameScenario(own, scenario);
  }) ?? false;
}

/** Reports whether the documents are those of the plan, or of one of its steps. */
export function isCurrent({ plan, scenario }: SessionState): boolean {
  return plan !== undefined && (sameScenario(plan.scenario, scenario) || isStep(plan, scenario));
}

/** Reports whether steps are still being planned. */
export function isPlanning(state: SessionState): boolean {
  return state.plan !== undefined && !state.plan.done && !state.plan.failed && isCurrent(state);
}

/** Plans one step after the other, until the documents change. */
export async function makePlan(session: Session, ask: (scenario: Scenario, from: number, trials: number) => Promise<PlanResult | undefined>): Promise<void> {
  const { scenario } = session.state;
  let plan: Plan = { scenario, steps: [], trials: 0, done: false, summary: [], failed: false };
  session.update({ plan });
  while (!plan.done && !plan.failed) {
    const part = await ask(scenario, plan.steps.length, plan.trials);
    if (session.state.plan !== plan || !isCurrent(session.state)) return;
    plan = part ? { ...plan, ...part, steps: [...plan.steps, ...part.steps] } : { ...plan, failed: true };
    session.update({ plan });
  }
}
