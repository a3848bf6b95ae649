import { sameScenario, type Scenario } from "./contract";
import type { Engine, Evaluation } from "./engine/engine";
import type { Session } from "./session";
import { throttle } from "./throttle";

/** Keystrokes this close together, in ms, count as one. */
const pause = 15;

/** Evaluates the session's scenario now and whenever it changes. */
export function keepEvaluated(session: Session, engine: Engine): void {
  const evaluate = (): void => {
    const { scenario, answer, answered } = session.state;
    if (answer && answered && sameScenario(scenario, answered)) {
      session.update({ answered: scenario });
      return;
    }
    void engine.evaluate(scenario).then((evaluation) => {
      if (evaluation) session.update(changeOf(evaluation));
    });
  };
  const soon = throttle(pause, evaluate);
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario) soon();
  });
  evaluate();
}

function changeOf(evaluation: Evaluation): Parameters<Session["update"]>[0] {
  const answered: Scenario = evaluation.scenario;
  switch (evaluation.type) {
    case "answer":
      return { answered, answer: evaluation.answer, notice: "" };
    case "stopped":
      return {
        answered,
        answer: undefined,
        notice: `The evaluation was stopped after ${evaluation.seconds} s. What you typed is kept; change it to evaluate again.`,
      };
    case "fault":
      return { answered, answer: undefined, notice: evaluation.message };
  }
}
