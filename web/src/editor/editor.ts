import { isolateHistory } from "@codemirror/commands";
import { Compartment, EditorState, type EditorStateConfig, type Extension, type TransactionSpec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  lineNumbers,
} from "@codemirror/view";
import type { Fix, Position, Range, TextEdit } from "../api.gen";
import { celIn } from "./cel";
import { completions } from "./completion";
import { flash, flashes, link } from "./flash";
import { hovers, type Writing } from "./hover";
import { isTyping, keys, replaced, wayOut } from "./keys";
import { type Marked, offsetOf, positionOf, showFindings } from "./markers";
import { replaceInput } from "./replace-input";
import { theme } from "./theme";

export interface EditorOptions {
  /** The parent element. It holds a textarea until the editor replaces it. */
  readonly place: HTMLElement;
  readonly label: string;
  readonly text: string;
  /** Earlier versions of the document, the oldest first, for undo. */
  readonly before: readonly string[];
  readonly language: Extension;
  /** The fields whose values are CEL. */
  readonly expressions: ReadonlySet<string>;
  /** Prevents edits by the user. */
  readonly readOnly: boolean;
  /** The assist requests for this document. */
  readonly writing: Writing;
  /** Handles a paste over the whole document; returns false to let the editor do it. */
  readonly takePaste: (text: string) => boolean;
  /** Receives the document, and whether the user typed or deleted characters. */
  readonly onEdit: (text: string, typed: boolean) => void;
  readonly onFocus: () => void;
  /** Receives the zero-based line of the cursor when it changes. */
  readonly onLine: (line: number) => void;
  /** Is called when the cursor moves or the document changes. */
  readonly onCursor: () => void;
  /** Receives the quick fix that the user chose at a finding. */
  readonly onFix: (fix: Fix) => void;
}

/** The editor of one document. */
export class Editor {
  readonly #view: EditorView;
  readonly #onFix: (fix: Fix) => void;
  readonly #readOnly = new Compartment();
  /** The last document that was set or reported; joining its lines again is slow. */
  #text: string;

  constructor({ place, label, text, before, language, expressions, readOnly, writing, takePaste, onEdit, onFocus, onLine, onCursor, onFix }: EditorOptions) {
    this.#onFix = onFix;
    // In a shadow root the editor's styles are constructed style sheets, which
    // a content security policy without inline styles allows.
    const root = place.attachShadow({ mode: "open", delegatesFocus: true });
    this.#view = new EditorView({
      parent: root,
      root,
      state: succession([...before, text], {
        extensions: [
          this.#readOnly.of(EditorState.readOnly.of(readOnly)),
          lineNumbers(),
          highlightActiveLineGutter(),
          highlightActiveLine(),
          highlightSpecialChars(),
          drawSelection(),
          language,
          celIn(expressions),
          keys,
          theme,
          flashes,
          replaceInput,
          completions(writing),
          hovers(writing),
          pasteOf(takePaste),
          EditorView.contentAttributes.of({ "aria-label": label, "aria-description": wayOut, spellcheck: "false", tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            const text = update.docChanged ? update.state.doc.toString() : this.#text;
            if (text !== this.#text) {
              this.#text = text;
              onEdit(text, update.transactions.some(isTyping));
            }
            if (update.focusChanged && update.view.hasFocus) onFocus();
            const { main } = update.state.selection;
            const line = update.state.doc.lineAt(main.head).number;
            if (update.docChanged || line !== lineBefore(update.startState)) onLine(line - 1);
            if (update.docChanged || update.selectionSet) onCursor();
          }),
        ],
      }),
    });
    this.#text = this.#view.state.doc.toString();
    place.replaceChildren();
  }

  setReadOnly(readOnly: boolean): void {
    this.#view.dispatch({ effects: this.#readOnly.reconfigure(EditorState.readOnly.of(readOnly)) });
  }

  /** Replaces the document in one undoable step, without a call of onEdit. */
  setText(text: string): void {
    if (this.#text === text) return;
    this.#text = text;
    this.#view.dispatch(replacement(this.#view.state, text));
    // CodeMirror's own scrolling would scroll a narrow page, too.
    this.#view.scrollDOM.scrollTop = 0;
  }

  /** Replaces only the differing part in one undoable step; the cursor stays. */
  rewrite(text: string): void {
    const old = this.#text;
    const shorter = Math.min(old.length, text.length);
    let head = 0;
    while (head < shorter && old[head] === text[head]) head++;
    let tail = 0;
    while (tail < shorter - head && old.at(-1 - tail) === text.at(-1 - tail)) tail++;
    this.#view.dispatch({
      changes: { from: head, to: old.length - tail, insert: text.slice(head, text.length - tail) },
      annotations: isolateHistory.of("full"),
    });
  }

  get cursor(): Position {
    const { doc, selection } = this.#view.state;
    return positionOf(doc, selection.main.head);
  }

  showFindings(findings: readonly Marked[]): void {
    showFindings(this.#view, findings, this.#onFix);
  }

  /** Applies edits in one undoable step and reveals the first. */
  apply(edits: readonly TextEdit[]): void {
    const { doc } = this.#view.state;
    const changes = this.#view.state.changes(
      edits.map(({ range, newText }) => ({
        from: offsetOf(doc, range.start),
        to: offsetOf(doc, range.end),
        insert: newText,
      })),
    );
    this.#view.dispatch({ changes, userEvent: "input.fix", annotations: isolateHistory.of("full") });
    const ranges: { from: number; to: number }[] = [];
    changes.iterChangedRanges((_fromA, _toA, from, to) => ranges.push({ from, to }));
    const [first] = ranges;
    if (!first) return;
    this.#view.dispatch({
      selection: { anchor: first.to },
      effects: EditorView.scrollIntoView(first.from, { y: "center" }),
    });
    for (const { from, to } of ranges) flash(this.#view, from, to);
    this.#view.focus();
  }

  /** Scrolls to a range, selects its start and flashes it. */
  reveal({ start, end }: Range): void {
    const text = this.#view.state.doc;
    const from = offsetOf(text, start);
    const to = Math.max(from, offsetOf(text, end));
    const effects = EditorView.scrollIntoView(from, { y: "center" });
    this.#view.dispatch({ selection: { anchor: from }, effects });
    flash(this.#view, from, to);
    this.#view.focus();
  }

  /** Marks the line where a range begins, which belongs to the caret in another document. */
  link(range: Range | undefined): void {
    link(this.#view, range && offsetOf(this.#view.state.doc, range.start));
  }

  focus(): void {
    this.#view.focus();
  }

  /** Selects the whole text, and focuses the editor. */
  selectAll(): void {
    this.#view.dispatch({ selection: { anchor: 0, head: this.#view.state.doc.length } });
    this.#view.focus();
  }

  /** Measures the editor again after it was hidden. */
  shown(): void {
    this.#view.requestMeasure();
  }
}

/** Creates the replacement of the whole document as one undoable step. */
function replacement({ doc }: EditorState, text: string): TransactionSpec {
  return {
    changes: { from: 0, to: doc.length, insert: text },
    selection: { anchor: 0 },
    annotations: isolateHistory.of("full"),
    effects: replaced.of(null),
  };
}

/** Creates a state whose history leads from the first version to the last. */
function succession([first, ...others]: readonly string[], config: EditorStateConfig): EditorState {
  const state = EditorState.create({ ...config, ...(first === undefined ? {} : { doc: first }) });
  return others.reduce((before, text) => before.update(replacement(before, text)).state, state);
}

/** Passes a paste over the whole document to the given handler. */
function pasteOf(take: (text: string) => boolean): Extension {
  return EditorView.domEventHandlers({
    paste(event, { state }) {
      const { from, to } = state.selection.main;
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (from > 0 || to < state.doc.length || !take(text)) return false;
      event.preventDefault();
      return true;
    },
  });
}

function lineBefore(state: EditorState): number {
  return state.doc.lineAt(state.selection.main.head).number;
}
