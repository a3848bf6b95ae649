import type { Answer } from "./api.gen";
import { sameScenario } from "./scenario";
import type { Answered, Engine, Evaluation, Question } from "./engine/engine";
import type { Session, SessionState } from "./session";

function isWhole({ engine }: SessionState): boolean {
  return engine.at === "page" && engine.whole;
}

/** Reports whether the answer contains the selected panel. */
function isInSight({ answer, panel }: SessionState): boolean {
  return !answer || panel in answer.panels;
}

/** Reports whether the shown answer is incomplete or belongs to an older scenario. */
export function isPending(state: SessionState): boolean {
  const { scenario, answer, answered, notice } = state;
  const incomplete = answer?.missing !== undefined && notice === "";
  return scenario !== answered || incomplete || answer?.preliminary === true || !isInSight(state);
}

/**
 * Evaluates the session's scenario now and after each change. It requests the
 * selected panel and the standing panels, which are always visible. A slow
 * evaluation has two stages; a change between them cancels the second.
 */
export function keepEvaluated(session: Session, engine: Engine, standing: readonly string[]): void {
  /** The pending question. */
  let asked: Question | undefined;
  const ask = (question: Question): void => {
    asked = question;
    void engine.evaluate(question).then((evaluation) => {
      if (asked === question) asked = undefined;
      if (evaluation) session.update(changeOf(evaluation, session.state));
    });
  };
  const askIfDue = (): void => {
    const { scenario, answer, answered } = session.state;
    if (answer && answered && sameScenario(scenario, answered)) session.update({ answered: scenario });
    const question = nextQuestion(session.state, standing);
    if (question && !(asked && covers(asked, question))) ask(question);
  };
  session.subscribe((state, previous) => {
    // Changes within one task are one question.
    if (differs(state, previous)) queueMicrotask(askIfDue);
  });
  ask(fullQuestion(session.state, standing));
}

/** Reports whether a change may require an evaluation. */
function differs(state: SessionState, previous: SessionState): boolean {
  const { scenario, answer, panel, engine } = state;
  return (
    scenario !== previous.scenario ||
    answer !== previous.answer ||
    panel !== previous.panel ||
    engine !== previous.engine
  );
}

/** Returns the question that the visible page needs, or undefined. */
function nextQuestion(state: SessionState, standing: readonly string[]): Question | undefined {
  const { scenario, answer, answered, panel } = state;
  if (scenario !== answered || (answer?.missing && isWhole(state))) return fullQuestion(state, standing);
  if (answer?.preliminary) return { ...fullQuestion(state, standing), preliminary: false };
  return isInSight(state) ? undefined : { scenario, panels: [panel], preliminary: false };
}

function fullQuestion({ scenario, panel }: SessionState, standing: readonly string[]): Question {
  return { scenario, panels: [...standing, panel], preliminary: true };
}

/** Reports whether a question covers the scenario and the panels. */
function covers(asked: Question, { scenario, panels }: Question): boolean {
  return asked.scenario === scenario && panels.every((panel) => asked.panels.includes(panel));
}

function changeOf(evaluation: Evaluation, state: SessionState): Partial<SessionState> {
  const { scenario: answered } = evaluation.question;
  switch (evaluation.type) {
    case "answer":
      return { answered, answer: mergePanels(evaluation, state), notice: "" };
    case "stopped":
      return {
        answered,
        answer: undefined,
        notice: `The evaluation was ended after ${evaluation.seconds} s, so that there is no verdict. What usually takes so long is a rule or a policy that builds long texts or lists within its cost budget: limit what it works on with maxLength and maxItems. What you typed is kept; change it to evaluate again.`,
      };
    case "fault":
      return { answered, answer: undefined, notice: evaluation.message };
  }
}

/** Adds the panels of earlier answers to the same scenario. */
function mergePanels({ question, answer }: Answered, before: SessionState): Answer {
  const { answered, answer: known } = before;
  if (question.scenario !== answered || !known || known.missing || known.preliminary) return answer;
  const { findings, panels } = known;
  return { ...answer, findings, panels: { ...panels, ...answer.panels } };
}
