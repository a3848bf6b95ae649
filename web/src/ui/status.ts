import type { Config } from "../config";
import { element } from "../dom";
import type { Evaluator } from "../engine/engine";
import { isPending } from "../evaluation";
import { problemOf } from "../remote/source";
import type { Session, SessionState } from "../session";

type Minors = NonNullable<Config["engine"]["minors"]>;

const phases = {
  downloading: "Downloading the engine…",
  compiling: "Downloading and compiling the engine…",
  starting: "Starting the engine…",
} as const;

const whereTexts: Record<Evaluator, string> = {
  page: "in this page, nothing sent",
  server: "on the server",
};

/** Describes the module of an older release that is on its way or failed. */
function olderText({ older: { at, release, part, because } }: SessionState, minors: Minors): string {
  const module = minors[release];
  if (at === "failed") return `The libraries of Kubernetes ${release} could not be loaded: ${because}.`;
  if (at !== "loading" || !module) return "";
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  return part === 1
    ? `Starting the libraries of Kubernetes ${release}…`
    : `Loading the libraries of Kubernetes ${release}: ${megabytes(part * module.download)} of ${megabytes(module.download)} MB…`;
}

function stateText(state: SessionState, minors: Minors): string {
  const { engine, answer, notice } = state;
  switch (engine.at) {
    case "loading":
      return phases[engine.phase];
    case "withheld":
      return `The engine does not run in this page: ${engine.because}. Your documents are not sent.`;
    case "server":
    case "nowhere":
      return `The engine does not run in this page: ${engine.because}.`;
    case "page":
      if (answer?.missing && !notice) return "Loading the rest of the engine…";
      return answer?.preliminary ? "Checking the CRD…" : olderText(state, minors);
  }
}

function isLoading(state: SessionState, text: string): boolean {
  const { at } = state.engine;
  return at === "loading" || (at === "page" && text !== "" && state.older.at !== "failed");
}

/** Shows the state of the engine, faults of the playground, and stale results. */
export function bindStatus(session: Session, { engine: { minors = {} } }: Config): void {
  const where = element("where", HTMLElement);
  const stateElement = element("engine-state", HTMLElement);
  const progress = element("engine-progress", HTMLProgressElement);
  const notice = element("notice", HTMLElement);
  const result = element("result", HTMLElement);
  const problems = element("problems", HTMLElement);
  const show = (state: SessionState): void => {
    where.textContent = state.answer ? whereTexts[state.evaluator] : "";
    const text = stateText(state, minors);
    stateElement.textContent = text;
    progress.hidden = !isLoading(state, text);
    const { at, part } = state.older;
    if (at === "loading" && part > 0 && part < 1) progress.value = part;
    else progress.removeAttribute("value");
    notice.textContent = state.notice || problemOf(state);
    notice.hidden = notice.textContent === "";
    const stale = state.answered !== state.scenario;
    result.toggleAttribute("data-stale", stale);
    problems.toggleAttribute("data-stale", stale);
    result.setAttribute("aria-busy", String(isPending(state)));
  };
  show(session.state);
  session.subscribe(show);
}
