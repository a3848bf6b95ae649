import { type DocumentName, documentNames, findingsOf, isOneOf } from "../contract";
import { Editor } from "../editor/editor";
import type { Session, SessionState } from "../session";
import { markPlacesAt, type Place } from "./places";
import { Tabs } from "./tabs";

const labels: Record<DocumentName, string> = { crd: "CRD", object: "Object" };

/** The editors of the documents and their tabs. */
export class Documents {
  readonly #session: Session;
  readonly #editors: Record<DocumentName, Editor>;
  readonly #tabs: Tabs;
  #line = -1;

  constructor(session: Session) {
    this.#session = session;
    this.#editors = { crd: this.#create("crd"), object: this.#create("object") };
    this.#tabs = new Tabs("document", (name) => {
      if (isOneOf(documentNames, name)) session.update({ document: name });
    });
    this.#tabs.show(session.state.document);
    session.subscribe((state, previous) => this.#follow(state, previous));
  }

  /** Shows a document and puts the cursor into it. */
  focus(name: DocumentName): void {
    this.#session.update({ document: name });
    this.#editors[name].focus();
  }

  /** Shows a place: its document, scrolled to it. */
  go({ document: name, range }: Place): void {
    this.#session.update({ document: name });
    this.#editors[name].reveal(range);
  }

  /** Marks what on the page is about the cursor's line, after that changed. */
  markCursor(): void {
    if (this.#line >= 0) markPlacesAt(this.#session.state.document, this.#line);
  }

  #create(name: DocumentName): Editor {
    const place = document.querySelector<HTMLElement>(`[data-editor="${name}"]`);
    if (!place) throw new Error(`the page has no editor for ${name}`);
    return new Editor({
      place,
      label: `${labels[name]}, YAML or JSON`,
      text: this.#session.state.scenario[name],
      onEdit: (text) => this.#session.edit({ [name]: text }),
      onLine: (line) => {
        this.#line = line;
        this.markCursor();
      },
    });
  }

  #follow(state: SessionState, previous: SessionState): void {
    if (state.document !== previous.document) {
      this.#tabs.show(state.document);
      this.#editors[state.document].shown();
    }
    for (const name of documentNames) {
      if (state.scenario[name] !== previous.scenario[name]) {
        this.#editors[name].setText(state.scenario[name]);
      }
    }
    if (state.answer !== previous.answer) this.#mark(state);
  }

  #mark(state: SessionState): void {
    const findings = findingsOf(state.answer);
    for (const name of documentNames) {
      this.#editors[name].showFindings(findings.filter(({ document }) => document === name));
    }
  }
}
