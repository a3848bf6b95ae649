import type { Config } from "../config";
import { element, write } from "../dom";
import { isInSight, isPending } from "../evaluation";
import { problemOf } from "../remote/source";
import type { Session, SessionState } from "../session";

/** The time in ms after which a wait is shown while the user types. */
const noticeable = 100;

type Modules = NonNullable<Config["engine"]["programs"]>;

const phases = {
  downloading: "Downloading the engine…",
  compiling: "Downloading and compiling the engine…",
  starting: "Starting the engine…",
} as const;

const whereTexts: Record<SessionState["evaluator"], string> = {
  page: "in this page, nothing sent",
  earlier: "in this page, at your last visit",
  server: "on the server",
};

/** Describes the module of an older release that is on its way or failed. */
function programText({ programs: { at, release, part, because } }: SessionState, modules: Modules): string {
  const module = modules[release];
  if (at === "failed") return `The libraries of Kubernetes ${release} could not be loaded: ${because}.`;
  if (at !== "loading" || !module) return "";
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  return part === 1
    ? `Starting the libraries of Kubernetes ${release}…`
    : `Loading the libraries of Kubernetes ${release}: ${megabytes(part * module.download)} of ${megabytes(module.download)} MB…`;
}

function stateText(state: SessionState, modules: Modules): string {
  const { engine, answer } = state;
  switch (engine.at) {
    case "loading":
      return phases[engine.phase];
    case "withheld":
    case "server":
    case "nowhere":
      return "The engine could not be loaded.";
    case "page":
      if (!answer?.preliminary) return programText(state, modules);
      return state.scenario.oldCrd === "" ? "Evaluating the other CRDs…" : "Looking for objects that break…";
  }
}

/** Returns why the engine does not run in the page; empty if it does. */
function reasonOf(engine: SessionState["engine"]): string {
  return "because" in engine ? `${engine.because}.${engine.at === "withheld" ? " Your documents are not sent." : ""}` : "";
}

function isLoading(state: SessionState, text: string): boolean {
  const { at } = state.engine;
  return at === "loading" || (at === "page" && text !== "" && state.programs.at !== "failed");
}

/** Shows the state of the engine, faults of the playground with a button that evaluates again, and stale results. */
export function bindStatus(session: Session, { engine: { programs: modules = {} } }: Config): void {
  const where = element("where", HTMLElement);
  const stateElement = element("engine-state", HTMLElement);
  const progress = element("engine-progress", HTMLProgressElement);
  const notice = element("notice", HTMLElement);
  const noticeBox = element("notice-box", HTMLElement);
  const again = element("notice-again", HTMLButtonElement);
  const result = element("result", HTMLElement);
  const panes = element("panes", HTMLElement);
  const show = (state: SessionState): void => {
    write(where, { textContent: state.answer ? whereTexts[state.evaluator] : "" });
    const text = stateText(state, modules);
    write(stateElement, { textContent: text, title: reasonOf(state.engine) });
    write(progress, { hidden: !isLoading(state, text) });
    const { at, part } = state.programs;
    if (at === "loading" && part > 0 && part < 1) write(progress, { value: part });
    else progress.removeAttribute("value");
    const sentence = state.notice || problemOf(state);
    write(notice, { textContent: sentence });
    write(noticeBox, { hidden: sentence === "" });
    write(again, { hidden: !state.failed || state.notice === "" });
  };
  again.addEventListener("click", () => {
    session.update({ answered: undefined, notice: "", failed: false });
    element("result", HTMLElement).focus();
  });
  // Most evaluations end before a reader would see that the result is of an earlier document.
  const showWait = (): void => {
    panes.toggleAttribute("data-stale", session.state.answered !== session.state.scenario);
    result.toggleAttribute("data-unanswered", !isInSight(session.state));
    write(result, { ariaBusy: String(isPending(session.state)) });
  };
  // Tests and measurements cannot rely on attributes, which a fast result leaves unchanged.
  Object.defineProperty(result, "pending", { get: () => isPending(session.state) });
  let soon: ReturnType<typeof setTimeout> | undefined;
  show(session.state);
  showWait();
  session.subscribe((state) => {
    show(state);
    if (!isPending(state)) {
      clearTimeout(soon);
      soon = undefined;
      showWait();
    } else if (state.typing) soon ??= setTimeout(showWait, noticeable);
    else showWait();
  });
}
