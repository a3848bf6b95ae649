import type { Answer, Cursor, Explanation, Finding, Fix, Position } from "../api.gen";
import { type DocumentName, documentGroups, documentNames, isOneOf, type Scenario, withoutDefaults } from "../scenario";
import { element, write } from "../dom";
import { Editor } from "../editor/editor";
import { go, yaml } from "../editor/language";
import type { Writing } from "../editor/hover";
import type { Marked } from "../editor/markers";
import type { Assistant } from "../engine/assistant";
import type { Session, SessionState } from "../session";
import { missedIn } from "../mutations";
import { unmetIn } from "../tests";
import { isCRD, isGo, splitBundle } from "../bundle";
import { marksInGo, sourceOf, targetOf } from "../generated";
import type { Replaced } from "../own";
import { markLinesAt } from "./lines";
import { markPlacesAt, type Place } from "./places";
import { Tabs } from "./tabs";
import { hasColumns, isStacked, onColumns } from "./width";

const labels: Record<DocumentName, string> = {
  crd: "CRD",
  go: "Go",
  object: "Object",
  oldCrd: "Previous CRD",
  oldObject: "Existing object",
  conversion: "Conversion",
  admission: "Admission",
};

const noExpressions: ReadonlySet<string> = new Set();
const ruleExpressions = new Set(["rule", "messageExpression"]);

/** The fields of each document whose values are CEL. */
const expressions: Record<DocumentName, ReadonlySet<string>> = {
  crd: ruleExpressions,
  go: noExpressions,
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
export function hasTab({ scenario, document, beside, opened }: SessionState, name: DocumentName): boolean {
  return always.includes(name) || scenario[name] !== "" || document === name || beside === name || opened.includes(name);
}

/** Returns the selected documents: one in a narrow window, otherwise one in each pane. */
function selected({ document, beside }: SessionState): readonly DocumentName[] {
  return isStacked() ? [document] : [document, beside];
}

/** The documents that stand side by side in a wide window. */
const columns: readonly DocumentName[] = ["crd", "go"];

/** Returns the visible documents: the selected ones, and the other one of Go types and their CRD. */
function visible(state: SessionState): readonly DocumentName[] {
  const shown = selected(state);
  if (!hasColumns() || state.scenario.go === "" || !shown.some((name) => columns.includes(name))) return shown;
  return [...new Set([...shown, ...columns])];
}

function isEmpty({ scenario }: SessionState, name: DocumentName): boolean {
  return scenario[name] === "";
}

/** Returns the documents that a fix changes. */
function documentsOf({ edits }: Fix): readonly DocumentName[] {
  return documentNames.filter((name) => edits.some(({ document }) => document === name));
}

/** The editors of the documents and their tabs. */
export class Documents {
  readonly #session: Session;
  readonly #readOnly: boolean;
  readonly #assistant: Assistant;
  readonly #markers: Writing;
  readonly #replacedBy: Replaced;
  /** The editors of the documents shown so far: creating an editor is slow. */
  readonly #editors = new Map<DocumentName, Editor>();
  /** For documents without an editor, the replaced versions, the oldest first. */
  readonly #replaced = new Map<DocumentName, string[]>();
  readonly #tabs: Tabs;
  /** Receives the document whose cursor has moved. */
  onCursor: (name: DocumentName) => void = () => undefined;
  /** The cursor's document and line, from its last move. */
  #cursorAt: { readonly name: DocumentName; readonly line: number } | undefined;
  /** The last decodable CRD. It serves assist requests while the current CRD is broken. */
  #decodedCrd = "";

  /** replaced returns the scenario in which a paste over a whole document replaces documents. */
  constructor(session: Session, assistant: Assistant, markers: Writing, replaced: Replaced, readOnly: boolean) {
    this.#session = session;
    this.#replacedBy = replaced;
    this.#readOnly = readOnly;
    this.#assistant = assistant;
    this.#markers = markers;
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
    onColumns(() => this.#show(session.state));
    element("closed-undo", HTMLButtonElement).addEventListener("click", () => {
      session.reopen();
      this.focus(session.state.document);
    });
    this.#bindGroups();
  }

  /** Shows a document and focuses its editor. */
  focus(name: DocumentName): void {
    this.#session.open(name);
    this.#editor(name).focus();
  }

  /** Shows a document and selects its text, which a paste replaces. */
  select(name: DocumentName): void {
    this.#session.open(name);
    this.#editor(name).selectAll();
  }

  /** Replaces only the differing part of a document, unless it is read-only; the cursor stays. */
  rewrite(name: DocumentName, text: string): void {
    if (!this.#isFixed(name)) this.#editor(name).rewrite(text);
  }

  /** Replaces the differing part of the CRD, although the user cannot edit it. */
  generated(crd: string): void {
    this.#editor("crd").rewrite(crd);
  }

  /** Reports whether the user cannot edit a document: Go types determine the CRD. */
  #isFixed(name: DocumentName, { scenario } = this.#session.state): boolean {
    return this.#readOnly || (name === "crd" && scenario.go !== "");
  }

  /** Opens source as a document of a request, unless it is read-only, and focuses its editor. */
  open(name: DocumentName, text: string, request: Partial<Scenario> = {}): void {
    if (!this.#isFixed(name)) this.#session.edit({ ...request, [name]: text }, "opened");
    this.focus(name);
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

  /** Explains the element at the cursor of a document. */
  explain(name: DocumentName): Promise<Explanation | undefined> {
    return this.#assistant.explain(this.#cursor(name, this.cursor(name)));
  }

  /** Applies a quick fix, unless one of its documents has changed since the answer. */
  apply(fix: Fix): void {
    const { answered, scenario } = this.#session.state;
    if (documentsOf(fix).every((name) => answered?.[name] === scenario[name])) this.edit(fix);
  }

  /** Applies edits to the present documents, unless they are read-only. */
  edit(fix: Fix): void {
    if (documentsOf(fix).some((name) => this.#isFixed(name))) return;
    for (const name of documentsOf(fix)) {
      this.#session.update({ document: name });
      this.#editor(name).apply(fix.edits.filter(({ document }) => document === name));
    }
  }

  /** Marks the parts of the page that refer to the cursor's line. */
  markCursor(): void {
    if (!this.#cursorAt) return;
    const { name, line } = this.#cursorAt;
    markPlacesAt(name, line);
    if (name === "crd") markLinesAt(line);
  }

  /** The tools of a pane work on its document. */
  #bindGroups(): void {
    for (const group of documentGroups) {
      const place = document.getElementById(`group-${group[0]}`);
      place?.addEventListener("focusin", ({ target }) => {
        const own = target instanceof Element ? target.closest<HTMLElement>("[data-editor]")?.dataset["editor"] : undefined;
        const shown = isOneOf(documentNames, own) ? own : selected(this.#session.state).find((name) => group.includes(name));
        if (shown) this.#session.update({ document: shown });
      });
    }
  }

  /** Reports whether the tab of a document can be closed. */
  #canClose(name: DocumentName, state: SessionState): boolean {
    return !always.includes(name) && (!this.#readOnly || isEmpty(state, name));
  }

  #close(name: DocumentName): void {
    if (!this.#canClose(name, this.#session.state)) return;
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
      label: name === "go" ? "Go types" : `${labels[name]}, YAML or JSON`,
      language: name === "go" ? go : yaml,
      text: this.#session.state.scenario[name],
      before: this.#replaced.get(name) ?? [],
      expressions: expressions[name],
      readOnly: this.#isFixed(name),
      writing: name === "go" ? this.#markers : {
        complete: (position) => this.#assistant.complete(this.#cursor(name, position)),
        hover: (position) => this.#assistant.hover(this.#cursor(name, position)),
      },
      takePaste: (text) => {
        if (this.#isFixed(name)) return true;
        if (name !== "go" && isGo(text)) {
          this.#session.update({ scenario: { ...this.#session.state.scenario, go: text }, origin: "opened", document: "go" });
          return true;
        }
        const pasted = splitBundle(text, name) ?? (name === "crd" && isCRD(text) ? { crd: text } : undefined);
        if (pasted) this.#session.edit(this.#replacedBy(pasted), "opened");
        return pasted !== undefined;
      },
      onEdit: (text, typed) => {
        const isByTyping = typed || (name === "crd" && this.#isFixed(name) && this.#session.state.origin === "typed");
        this.#session.edit({ [name]: text }, isByTyping ? "typed" : "changed");
      },
      onFocus: () => this.#session.update({ document: name }),
      onLine: (line) => {
        this.#cursorAt = { name, line };
        this.markCursor();
      },
      onCursor: () => {
        if (columns.includes(name)) this.#link(this.#session.state);
        this.onCursor(name);
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
    const isOther = (state.scenario.go === "") !== (previous.scenario.go === "");
    if (isOther) this.#editors.get("crd")?.setReadOnly(this.#isFixed("crd", state));
    for (const name of this.#editors.keys()) {
      if (state.generated !== previous.generated || state.answer?.findings !== previous.answer?.findings || state.tested !== previous.tested || state.mutations !== previous.mutations) this.#mark(name, state);
    }
    // A keystroke seldom changes a tab.
    for (const name of documentNames) {
      const isSame = hasTab(state, name) === hasTab(previous, name) && isEmpty(state, name) === isEmpty(previous, name);
      if (!isSame) this.#offer(name, state);
    }
    if (state.document !== previous.document || state.beside !== previous.beside || isOther) this.#show(state);
    if (state.document !== previous.document || state.generated !== previous.generated) this.#link(state);
    if (state.closed !== previous.closed) this.#showClosed(state);
  }

  #replace(name: DocumentName, before: string, text: string): void {
    const editor = this.#editors.get(name);
    if (editor) editor.setText(text);
    else this.#replaced.set(name, [...(this.#replaced.get(name) ?? []), before]);
  }

  /** Offers to open the closed document again. */
  #showClosed({ closed }: SessionState): void {
    write(element("closed-note", HTMLElement), { hidden: closed === undefined });
    if (closed) element("closed-name", HTMLElement).textContent = labels[closed.name];
  }

  /** Shows or hides a document's tab and introduction. */
  #offer(name: DocumentName, state: SessionState): void {
    this.#tabs.offer(name, hasTab(state, name), this.#canClose(name, state));
    const intro = document.querySelector<HTMLElement>(`[data-intro="${name}"]`);
    if (intro) intro.hidden = !isEmpty(state, name);
  }

  /** Shows the visible documents. */
  #show(state: SessionState): void {
    const [chosen, shown] = [selected(state), visible(state)];
    for (const group of documentGroups) this.#tabs.show(chosen.find((name) => group.includes(name)), group, shown);
    const isPaired = columns.every((name) => shown.includes(name));
    document.getElementById("panes")?.toggleAttribute("data-paired", isPaired);
    for (const name of shown) this.#editor(name).shown();
    this.#link(state);
  }

  /** Marks the line of the CRD that belongs to the caret in Go, and the other way round, while both are visible. */
  #link(state: SessionState): void {
    const shown = visible(state);
    const isPaired = columns.every((name) => shown.includes(name));
    const place = { go: targetOf, crd: sourceOf } as const;
    for (const [from, to] of [["go", "crd"], ["crd", "go"]] as const) {
      this.#editors.get(to)?.link(isPaired && state.document === from ? place[from](state, this.cursor(from)) : undefined);
    }
  }

  #mark(name: DocumentName, state: SessionState): void {
    const { answer, tested } = state;
    const all = name === "crd" && this.#isFixed(name, state) ? (answer?.findings ?? []).map(withoutFixes) : answer?.findings ?? [];
    if (name === "go") {
      // The marks follow the edits until the next result.
      if (state.generated.go === state.scenario.go) this.#editors.get(name)?.showFindings(marksInGo(state));
      return;
    }
    const findings = all.filter(({ document }) => document === name);
    this.#editors.get(name)?.showFindings([...findings, ...all.flatMap((finding) => faultsIn(finding, name)), ...unmetIn(tested, name), ...missedIn(state, name)]);
  }
}

function withoutFixes(finding: Finding): Finding {
  return { ...finding, fixes: [] };
}

/** Returns the parts of rules in a document whose evaluation fails because of a finding in another. */
function faultsIn({ related, severity, document }: Finding, name: DocumentName): Marked[] {
  const faults = related.filter((place) => place.fails && place.document === name && document !== name);
  return faults.map(({ range, message }) => ({ range, severity, message, hint: "", fixes: [] }));
}
