import type { Answer, Cursor, Fix, Position } from "../api.gen";
import { type DocumentName, documentNames, isOneOf, withoutDefaults } from "../scenario";
import { Editor } from "../editor/editor";
import type { Assistant } from "../engine/assistant";
import type { Session, SessionState } from "../session";
import { splitBundle } from "./bundle";
import { markPlacesAt, type Place } from "./places";
import { Tabs } from "./tabs";

const labels: Record<DocumentName, string> = {
  crd: "CRD",
  object: "Object",
  oldCrd: "Old CRD",
  oldObject: "Old object",
  conversion: "Conversion",
  admission: "Admission",
};

const noExpressions: ReadonlySet<string> = new Set();
const ruleExpressions = new Set(["rule", "messageExpression"]);

/** The fields of each document whose values are CEL. */
const expressions: Record<DocumentName, ReadonlySet<string>> = {
  crd: ruleExpressions,
  object: noExpressions,
  oldCrd: ruleExpressions,
  oldObject: noExpressions,
  conversion: new Set(["transformation"]),
  admission: new Set(["expression", "messageExpression", "valueExpression"]),
};

/** The documents that always have a tab. */
export const always: readonly DocumentName[] = ["crd", "object"];

/** Reports whether the answer's CRD could be decoded. */
function isDecoded(answer: Answer): boolean {
  return !answer.findings.some(({ document, stage, severity }) =>
    document === "crd" && stage === "crd decode" && severity === "error");
}

/** Reports whether a document has a tab. */
export function hasTab({ scenario, document, opened }: SessionState, name: DocumentName): boolean {
  return always.includes(name) || scenario[name] !== "" || document === name || opened.includes(name);
}

function isEmpty({ scenario }: SessionState, name: DocumentName): boolean {
  return scenario[name] === "";
}

/** The editors of the documents and their tabs. */
export class Documents {
  readonly #session: Session;
  readonly #help: Assistant;
  /** The editors of the documents shown so far: creating an editor is slow. */
  readonly #editors = new Map<DocumentName, Editor>();
  /** For documents without an editor, the replaced versions, the oldest first. */
  readonly #replaced = new Map<DocumentName, string[]>();
  readonly #tabs: Tabs;
  #line = -1;
  /** The last decodable CRD. It serves assist requests while the current CRD is broken. */
  #decodedCrd = "";

  constructor(session: Session, help: Assistant) {
    this.#session = session;
    this.#help = help;
    this.#tabs = new Tabs(
      "document",
      (name) => {
        if (isOneOf(documentNames, name)) session.update({ document: name });
      },
      (name) => {
        if (isOneOf(documentNames, name)) this.#close(name);
      },
    );
    for (const name of documentNames) this.#offer(name, session.state);
    this.#show(session.state);
    session.subscribe((state, previous) => this.#follow(state, previous));
  }

  /** Shows a document and focuses its editor. */
  focus(name: DocumentName): void {
    this.#session.open(name);
    this.#editor(name).focus();
  }

  /** Replaces only the differing part of a document; the cursor stays. */
  rewrite(name: DocumentName, text: string): void {
    this.#editor(name).rewrite(text);
  }

  /** Shows a document and scrolls to a range. */
  go({ document: name, range }: Place): void {
    this.#session.update({ document: name });
    this.#editor(name).reveal(range);
  }

  /** Returns the cursor of a document; its start if it has no editor. */
  cursor(name: DocumentName): Position {
    return this.#editors.get(name)?.cursor ?? { line: 0, character: 0 };
  }

  /** Applies a quick fix, unless one of its documents has changed since the answer. */
  apply({ edits }: Fix): void {
    const { answered, scenario } = this.#session.state;
    const names = documentNames.filter((name) => edits.some(({ document }) => document === name));
    if (names.some((name) => answered?.[name] !== scenario[name])) return;
    for (const name of names) {
      this.#session.update({ document: name });
      this.#editor(name).apply(edits.filter(({ document }) => document === name));
    }
  }

  /** Marks the parts of the page that refer to the cursor's line. */
  markCursor(): void {
    if (this.#line >= 0) markPlacesAt(this.#session.state.document, this.#line);
  }

  /** Closes a document, unless it has content or a permanent tab. */
  #close(name: DocumentName): void {
    if (always.includes(name) || this.#session.state.scenario[name] !== "") return;
    this.#session.close(name);
    document.getElementById(`tab-${this.#session.state.document}`)?.focus();
  }

  #editor(name: DocumentName): Editor {
    const known = this.#editors.get(name);
    if (known) return known;
    const editor = this.#create(name);
    this.#editors.set(name, editor);
    this.#mark(name, this.#session.state);
    return editor;
  }

  #create(name: DocumentName): Editor {
    const place = document.querySelector<HTMLElement>(`[data-editor="${name}"]`);
    if (!place) throw new Error(`the page has no editor for ${name}`);
    return new Editor({
      place,
      label: `${labels[name]}, YAML or JSON`,
      text: this.#session.state.scenario[name],
      before: this.#replaced.get(name) ?? [],
      expressions: expressions[name],
      writing: {
        complete: (position) => this.#help.complete(this.#cursor(name, position)),
        hover: (position) => this.#help.hover(this.#cursor(name, position)),
      },
      takePaste: (text) => {
        const bundle = splitBundle(text, name);
        if (bundle) this.#session.edit(bundle);
        return bundle !== undefined;
      },
      onEdit: (text) => this.#session.edit({ [name]: text }),
      onLine: (line) => {
        this.#line = line;
        this.markCursor();
      },
      onFix: (fix) => this.apply(fix),
    });
  }

  #cursor(document: DocumentName, position: Position): Cursor {
    const { scenario, answer } = this.#session.state;
    const isOfCrd = document === "crd" || document === "oldCrd";
    const isBroken = answer !== undefined && !isDecoded(answer) && this.#decodedCrd !== "";
    const known = isBroken && !isOfCrd ? { ...scenario, crd: this.#decodedCrd } : scenario;
    return { scenario: withoutDefaults(known), document, position };
  }

  #follow(state: SessionState, previous: SessionState): void {
    if (state.answer && state.answered && state.answer !== previous.answer && isDecoded(state.answer)) {
      this.#decodedCrd = state.answered.crd;
    }
    for (const name of documentNames) {
      if (state.scenario[name] !== previous.scenario[name]) this.#replace(name, previous.scenario[name], state.scenario[name]);
    }
    for (const name of this.#editors.keys()) {
      if (state.answer?.findings !== previous.answer?.findings) this.#mark(name, state);
    }
    // A keystroke seldom changes a tab.
    for (const name of documentNames) {
      const isSame = hasTab(state, name) === hasTab(previous, name) && isEmpty(state, name) === isEmpty(previous, name);
      if (!isSame) this.#offer(name, state);
    }
    if (state.document !== previous.document) this.#show(state);
  }

  #replace(name: DocumentName, before: string, text: string): void {
    const editor = this.#editors.get(name);
    if (editor) editor.setText(text);
    else this.#replaced.set(name, [...(this.#replaced.get(name) ?? []), before]);
  }

  /** Shows or hides a document's tab and introduction. */
  #offer(name: DocumentName, state: SessionState): void {
    this.#tabs.offer(name, hasTab(state, name), isEmpty(state, name));
    const intro = document.querySelector<HTMLElement>(`[data-intro="${name}"]`);
    if (intro) intro.hidden = !isEmpty(state, name);
  }

  /** Shows the selected document. */
  #show(state: SessionState): void {
    this.#tabs.show(state.document);
    this.#editor(state.document).shown();
  }

  #mark(name: DocumentName, { answer }: SessionState): void {
    const findings = answer?.findings.filter(({ document }) => document === name);
    this.#editors.get(name)?.showFindings(findings ?? []);
  }
}
