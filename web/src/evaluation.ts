import { sameScenario } from "./contract";
import type { Engine, Evaluation } from "./engine/engine";
import type { Session, SessionState } from "./session";
import { throttle } from "./throttle";

/** Keystrokes this close together, in ms, count as one. */
const pause = 15;

/** What is published of a CRD is asked for only while it is looked at. */
function wantsSchemas({ panel }: SessionState): boolean {
  return panel === "schema";
}

function isWhole({ engine }: SessionState): boolean {
  return engine.at === "page" && engine.whole;
}

/** Whether the answer that is shown is not yet all that there is to the scenario. */
export function isPending(state: SessionState): boolean {
  const { scenario, answer, answered, withSchemas, notice } = state;
  const incomplete = answer?.report.missing !== undefined && notice === "";
  return scenario !== answered || incomplete || (wantsSchemas(state) && !withSchemas);
}

/** Evaluates the session's scenario now and whenever it changes. */
export function keepEvaluated(session: Session, engine: Engine): void {
  const evaluate = (): void => {
    const { state } = session;
    const { scenario, answer, answered, withSchemas } = state;
    const schemas = wantsSchemas(state);
    if (answer && !answer.report.missing && answered && sameScenario(scenario, answered) && (withSchemas || !schemas)) {
      session.update({ answered: scenario });
      return;
    }
    void engine.evaluate({ scenario, schemas }).then((evaluation) => {
      if (evaluation) session.update(changeOf(evaluation));
    });
  };
  const soon = throttle(pause, evaluate);
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario) soon();
    if (isWhole(state) && !isWhole(previous) && state.answer?.report.missing) soon();
    if (state.panel !== previous.panel && wantsSchemas(state)) soon();
  });
  evaluate();
}

function changeOf(evaluation: Evaluation): Partial<SessionState> {
  const { scenario: answered, schemas: withSchemas } = evaluation.question;
  switch (evaluation.type) {
    case "answer":
      return { answered, withSchemas, answer: evaluation.answer, notice: "" };
    case "stopped":
      return {
        answered,
        withSchemas,
        answer: undefined,
        notice: `The evaluation was stopped after ${evaluation.seconds} s. What you typed is kept; change it to evaluate again.`,
      };
    case "fault":
      return { answered, withSchemas, answer: undefined, notice: evaluation.message };
  }
}
