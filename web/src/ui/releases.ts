import type { Config } from "../config";
import { element, write } from "../dom";
import { judgedReleases, type Programs } from "../engine/programs";
import { sameScenario } from "../scenario";
import type { Session, SessionState } from "../session";

/** Binds the button that loads and runs the modules of all older releases. */
export function bindReleases(session: Session, { engine: { programs: modules = {} } }: Config, programs: Programs | undefined): void {
  const place = element("releases-run", HTMLElement);
  const start = element("releases-start", HTMLButtonElement);
  const state = element("releases-state", HTMLElement);
  if (!programs) return;
  start.addEventListener("click", () => {
    if (session.state.programs.all) programs.cancelAll();
    // The next click tries again after a failure.
    else programs.judgeAll(session.state.scenario).catch(() => {});
  });
  const missing = ({ programs: known, scenario }: SessionState): string[] => {
    const judged = judgedReleases(known, scenario);
    return Object.keys(modules).filter((release) => !judged.includes(release));
  };
  const show = (current: SessionState): void => {
    const rest = missing(current);
    const { all, release } = current.programs;
    write(place, { hidden: current.engine.at !== "page" || (rest.length === 0 && !all) });
    write(start, { textContent: all ? "Stop" : "Evaluate with all older releases" });
    write(state, { textContent: all ? `Kubernetes ${release}…` : sizeText(rest.map((name) => modules[name]?.download ?? 0)) });
  };
  show(session.state);
  session.subscribe(show);
}

/** Binds the marks in the list of releases, which last until the scenario changes in anything but the release. */
export function bindReleaseMarks(session: Session): void {
  session.subscribe(({ scenario }, { scenario: previous }) => {
    if (scenario !== previous && !sameScenario({ ...scenario, kubernetes: "" }, { ...previous, kubernetes: "" })) markReleases({});
  });
}

/** The mark of a release by its verdict. */
const marks: Readonly<Record<string, string>> = { accepted: " ✓", rejected: " ✗" };

/** Marks each release in the list with its verdict. */
function markReleases(verdicts: Readonly<Record<string, string>>): void {
  for (const option of element("kubernetes", HTMLSelectElement).options) {
    const { title = "" } = option.dataset;
    write(option, { text: title + (marks[verdicts[title] ?? ""] ?? "") });
  }
}

/** Marks the releases in the list as the panel shows them. */
export function copyReleaseMarks(): void {
  const rows = document.querySelectorAll<HTMLElement>("#panel-releases [data-release]");
  markReleases(Object.fromEntries([...rows].map(({ dataset: { release = "", verdict = "" } }) => [release, verdict])));
}

function sizeText(sizes: readonly number[]): string {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return `The page loads their libraries, ${Math.round(bytes / 1e6)} MB in total, one release after another. Nothing is sent.`;
}
