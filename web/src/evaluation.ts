import type { Answer } from "./api.gen";
import { afterPause } from "./throttle";
import { type Scenario, sameScenario } from "./scenario";
import type { Answered, Engine, Evaluation, EvaluationRequest } from "./engine/engine";
import { judgedReleases } from "./engine/programs";
import type { Session, SessionState } from "./session";
import { stopSentence } from "./engine/stop-sentence";
import type { StopReason } from "./engine/worker-client";

/** Reports whether a document of the answer's scenario cannot be read. */
export function isUnreadable({ findings }: Answer): boolean {
  return findings.some(({ stage, severity }) => severity === "error" && (stage === "decode" || stage === "crd decode"));
}

/** The time in ms without a keystroke after which the verdict line may change. */
export const pause = 450;

/** Reports whether the answer contains the selected panel. Otherwise, the panel shows an earlier answer. */
export function isInSight({ answer, panel }: SessionState): boolean {
  return !answer || panel in answer.panels;
}

/** Reports whether the shown answer is preliminary or belongs to an older scenario. */
export function isPending(state: SessionState): boolean {
  const { scenario, answer, answered, programs } = state;
  const awaitsModule = programs.at === "loading" && programs.release === scenario.kubernetes;
  return scenario !== answered || awaitsModule || awaitsJudgment(state) || answer?.preliminary === true || !isInSight(state);
}

/** Reports whether an evaluation would add judgments of older releases to the answer. */
function awaitsJudgment({ scenario, answer, engine, programs, judged, panel }: SessionState): boolean {
  if (!answer || engine.at !== "page") return false;
  const { kubernetes } = scenario;
  const isReady = programs.at === "ready" && !programs.all && programs.release === kubernetes;
  const known = judgedReleases(programs, scenario);
  const wanted = panel === "releases" ? known : known.filter((release) => release === kubernetes);
  return (isReady && !judged.includes(kubernetes)) || wanted.some((release) => !judged.includes(release));
}

/**
 * Evaluates the session's scenario now and after each change. It requests the
 * selected panel and the standing panels, which are always visible. A slow
 * evaluation has two stages; a change between them cancels the second.
 */
export function keepEvaluated(session: Session, engine: Engine, standing: readonly string[]): void {
  /** The pending request. */
  let asked: EvaluationRequest | undefined;
  const endTyping = afterPause(pause, () => session.update({ typing: false }));
  const ask = (request: EvaluationRequest): void => {
    asked = request;
    void engine.evaluate(request).then((evaluation) => {
      if (asked === request) asked = undefined;
      if (evaluation) session.update(changeOf(evaluation, session.state));
    });
  };
  const askIfDue = (): void => {
    const { scenario, answer, answered } = session.state;
    if (answer && answered && sameScenario(scenario, answered)) session.update({ answered: scenario });
    const request = nextRequest(session.state, standing);
    if (request && !(asked && covers(asked, request))) ask(request);
  };
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario && state.typing) endTyping();
    // Changes within one task are one request.
    if (differs(state, previous)) queueMicrotask(askIfDue);
  });
  ask(fullRequest(session.state, standing));
}

/** Reports whether a change may require an evaluation. */
function differs(state: SessionState, previous: SessionState): boolean {
  const { scenario, answer, answered, panel, engine, programs } = state;
  return (
    programs !== previous.programs ||
    answered !== previous.answered ||
    scenario !== previous.scenario ||
    answer !== previous.answer ||
    panel !== previous.panel ||
    engine !== previous.engine
  );
}

/** Returns the request that the visible page needs, or undefined. */
function nextRequest(state: SessionState, standing: readonly string[]): EvaluationRequest | undefined {
  const { scenario, answer, answered, panel } = state;
  if (scenario !== answered) return fullRequest(state, standing);
  if (answer?.preliminary) return { ...fullRequest(state, standing), preliminary: false };
  if (awaitsJudgment(state)) return { ...fullRequest(state, standing), preliminary: false };
  return isInSight(state) ? undefined : { scenario, panels: [panel], preliminary: false };
}

function fullRequest({ scenario, panel }: SessionState, standing: readonly string[]): EvaluationRequest {
  return { scenario, panels: [...standing, panel], preliminary: true };
}

/** Reports whether a request covers the scenario and the panels. */
function covers(asked: EvaluationRequest, { scenario, panels }: EvaluationRequest): boolean {
  return asked.scenario === scenario && panels.every((panel) => asked.panels.includes(panel));
}

function changeOf(evaluation: Evaluation, state: SessionState): Partial<SessionState> {
  const { scenario: answered } = evaluation.request;
  switch (evaluation.type) {
    case "answer":
      return { answered, answer: mergePanels(evaluation, state), judged: evaluation.judged, evaluator: evaluation.by, notice: "", failed: false };
    case "stopped":
      return {
        answered,
        answer: undefined,
        notice: `${stopSentence(evaluation)} ${adviceOn(evaluation.reason, answered, state)}`,
        failed: true,
      };
    case "withheld":
      return { answered, answer: undefined, notice: "", failed: false, question: state.permission === "undecided" };
    case "fault":
      return { answered, answer: undefined, notice: evaluation.message, failed: true };
  }
}

function adviceOn(reason: StopReason, scenario: Scenario, { permission }: SessionState): string {
  const sent = permission === "granted" ? "" : ", and nothing was sent to the server";
  const kept = `Your documents are kept${sent}. Change them, or try again.`;
  if (reason === "crash") return `There is no verdict. ${kept}`;
  return `There is no verdict. ${causeOf(reason, scenario)} ${kept}`;
}

/** Names the usual cause of a stop. Only the authors of rules and policies can change them. */
function causeOf(reason: "time" | "memory", scenario: Scenario): string {
  if (hasExpressions(scenario)) {
    return "The usual cause is a rule or a policy that builds long strings or lists: limit its input with maxLength and maxItems.";
  }
  return reason === "time" ? "The usual causes are large documents and a busy machine." : "The usual cause is large documents.";
}

/** Reports whether a scenario has rules or policies, which are CEL expressions. */
function hasExpressions({ crd, oldCrd, admission }: Scenario): boolean {
  return [crd, oldCrd].some((text) => text.includes("x-kubernetes-validations")) || /\bexpression["']?\s*:/.test(admission);
}

/** Adds the panels of earlier answers to the same scenario. */
function mergePanels({ request, answer, judged }: Answered, before: SessionState): Answer {
  const { answered, answer: known, evaluator } = before;
  if (judged.join() !== before.judged.join() || evaluator === "earlier") return answer;
  if (request.scenario !== answered || !known || known.preliminary) return answer;
  const { findings, panels } = known;
  return { ...answer, findings, panels: { ...panels, ...answer.panels } };
}
