import { element, write } from "../dom";
import { isUnreadable } from "../evaluation";
import { isOneOf, type PanelName, panelNames } from "../scenario";
import type { Session, SessionState } from "../session";
import { Panels } from "./panels";
import { Tabs } from "./tabs";

/** The panels that do not change per keystroke: the line of the verdict, its announcement, and the times. */
const afterTyping = ["brief", "announcement", "timing"];

/** The panels of the answer and their tabs. */
export class Results {
  readonly #session: Session;
  readonly #panels: Panels;
  readonly #tabs: Tabs;
  readonly #hasReleases: boolean;
  /** The line of the verdict waits for the end of the typing. */
  #waits = false;
  /** The line of the verdict. */
  readonly #brief = document.querySelector("[data-panel=brief]") ?? document.createElement("span");

  /** hasReleases reports whether older releases can judge; onSwap receives the names of the panels with new content. */
  constructor(session: Session, hasReleases: boolean, onSwap: (names: readonly string[]) => void) {
    this.#session = session;
    this.#hasReleases = hasReleases;
    this.#panels = new Panels(onSwap);
    this.#tabs = new Tabs("panel", (name) => {
      if (isOneOf(panelNames, name)) session.update({ panel: name });
    });
    this.#offerTabs(session.state);
    this.#tabs.show(session.state.panel);
    document.addEventListener("click", ({ target }) => {
      const name = target instanceof Element && target.closest<HTMLElement>("[data-show-panel]")?.dataset["showPanel"];
      if (isOneOf(panelNames, name)) this.focus(name);
    });
    if (!session.state.answered) this.#panels.clear("Waiting for the engine…");
    session.subscribe((state, previous) => this.#follow(state, previous));
  }

  /** The names of the panels that are always visible. */
  get standing(): readonly string[] {
    return this.#panels.standing;
  }

  /** Shows a panel and focuses it. */
  focus(name: PanelName): void {
    this.#session.update({ panel: name });
    document.getElementById(`panel-${name}`)?.focus();
  }

  #follow(state: SessionState, previous: SessionState): void {
    if (state.answer !== previous.answer || state.answered !== previous.answered || state.failed !== previous.failed) {
      if (state.answer) this.#show(state);
      else this.#clear(state);
    }
    if (state.scenario !== previous.scenario && state.origin === "opened") this.#fold();
    // A pause shows the verdict on the present document, not on an earlier one.
    const waits = state.typing || (state.origin === "typed" && state.scenario !== state.answered);
    if (waits !== this.#waits) this.#panels.hold(waits ? afterTyping : []);
    this.#waits = waits;
    this.#brief.toggleAttribute("data-waits", this.#panels.waits("brief"));
    if (state.scenario !== previous.scenario || state.panel !== previous.panel) this.#offerTabs(state);
    if (state.panel !== previous.panel) {
      this.#tabs.show(state.panel);
      this.#panels.refresh();
    }
  }

  /** Empties the panels, and says that there is no verdict. */
  #clear({ engine, answered, failed }: SessionState): void {
    if (engine.at === "withheld") this.#panels.clear("There is no result, because your documents are not sent to the server.");
    else this.#panels.clear(answered ? "There is no result." : "Evaluating…");
    if (failed || engine.at === "withheld" || engine.at === "nowhere") this.#brief.replaceChildren(noVerdict());
  }

  /** Folds the problems: the first problem of other documents is another one. */
  #fold(): void {
    for (const details of document.querySelectorAll<HTMLDetailsElement>(".problem > details[open]")) details.open = false;
  }

  /** Shows an answer. While the user types and a document is unreadable, the last result stays. */
  #show({ answer, origin }: SessionState): void {
    if (!answer) return;
    const keeps = origin === "typed" && isUnreadable(answer);
    element("result", HTMLElement).toggleAttribute("data-kept", keeps);
    write(element("last-result", HTMLElement), { hidden: !keeps });
    if (keeps) this.#panels.showStanding(answer.panels);
    else this.#panels.show(answer.panels);
  }

  /** The comparison has a tab if there is a previous CRD, and the releases if one of them can judge or is chosen. */
  #offerTabs({ scenario, panel }: SessionState): void {
    this.#tabs.offer("changes", scenario.oldCrd !== "" || panel === "changes", false);
    this.#tabs.offer("releases", this.#hasReleases || scenario.kubernetes !== "" || panel === "releases", false);
  }
}

/** Creates the line of the verdict after an evaluation without one. */
function noVerdict(): HTMLElement {
  const line = document.createElement("span");
  line.className = "brief-line is-unknown";
  const word = line.appendChild(document.createElement("strong"));
  word.className = "verdict-word";
  word.textContent = "Not evaluated";
  return line;
}
