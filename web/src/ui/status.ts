import { element } from "../dom";
import type { EngineState } from "../engine/engine";
import { isPending } from "../evaluation";
import { problemOf } from "../remote/source";
import type { Session, SessionState } from "../session";

const phases = {
  downloading: "Downloading the engine…",
  compiling: "Downloading and compiling the engine…",
  starting: "Starting the engine…",
} as const;

function whereText(engine: EngineState): string {
  switch (engine.at) {
    case "page":
      return "in this page, nothing sent";
    case "server":
      return "on the server";
    default:
      return "";
  }
}

function stateText({ engine, answer, notice }: SessionState): string {
  switch (engine.at) {
    case "loading":
      return phases[engine.phase];
    case "server":
    case "nowhere":
      return `The engine does not run in this page: ${engine.because}`;
    case "page":
      if (answer?.missing && !notice) return "Loading the rest of the engine…";
      return answer?.preliminary ? "Checking the rules of the CRD…" : "";
  }
}

function isLoading(state: SessionState): boolean {
  const { at } = state.engine;
  return at === "loading" || (at === "page" && stateText(state) !== "");
}

/** Shows the state of the engine, faults of the playground, and stale results. */
export function bindStatus(session: Session): void {
  const where = element("where", HTMLElement);
  const stateElement = element("engine-state", HTMLElement);
  const progress = element("engine-progress", HTMLProgressElement);
  const notice = element("notice", HTMLElement);
  const result = element("result", HTMLElement);
  const show = (state: SessionState): void => {
    where.textContent = state.answer ? whereText(state.engine) : "";
    stateElement.textContent = stateText(state);
    progress.hidden = !isLoading(state);
    notice.textContent = state.notice || problemOf(state);
    notice.hidden = notice.textContent === "";
    const stale = state.answered !== state.scenario;
    result.toggleAttribute("data-stale", stale);
    result.setAttribute("aria-busy", String(isPending(state)));
  };
  show(session.state);
  session.subscribe(show);
}
