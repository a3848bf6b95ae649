import { isOneOf, type PanelName, panelNames } from "../scenario";
import type { Session, SessionState } from "../session";
import { Panels } from "./panels";
import { Tabs } from "./tabs";

/** The panels of the answer and their tabs. */
export class Results {
  readonly #session: Session;
  readonly #panels: Panels;
  readonly #tabs: Tabs;

  /** onSwap receives the names of the panels with new content. */
  constructor(session: Session, onSwap: (names: readonly string[]) => void) {
    this.#session = session;
    this.#panels = new Panels(onSwap);
    this.#tabs = new Tabs("panel", (name) => {
      if (isOneOf(panelNames, name)) session.update({ panel: name });
    });
    this.#tabs.show(session.state.panel);
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
    if (state.answer !== previous.answer || state.answered !== previous.answered) {
      if (state.answer) this.#panels.show(state.answer.panels);
      else this.#panels.clear("There is no result.");
    }
    if (state.panel !== previous.panel) {
      this.#tabs.show(state.panel);
      this.#panels.refresh();
    }
  }
}
