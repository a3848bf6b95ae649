import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, placeholder } from "@codemirror/view";
import type { Range } from "../api.gen";
import { cel } from "./cel";
import { completions } from "./completion";
import { hovers, type Writing } from "./hover";
import { offsetOf } from "./markers";
import { replaceInput } from "./replace-input";
import { theme } from "./theme";

const look = EditorView.theme({
  "&": { height: "auto", maxHeight: "11em" },
  ".cm-content": { padding: "var(--space-3) 0" },
  ".cm-line": { padding: "0 var(--space-4)" },
  ".cm-placeholder": { color: "var(--faint)" },
});

export interface ExpressionEditorOptions {
  readonly place: HTMLElement;
  readonly label: string;
  readonly hint: string;
  readonly text: string;
  readonly writing: Writing;
  readonly onEdit: (text: string) => void;
}

/** The editor of a CEL expression. Tab leaves it. */
export class ExpressionEditor {
  readonly #view: EditorView;

  constructor({ place, label, hint, text, writing, onEdit }: ExpressionEditorOptions) {
    const root = place.attachShadow({ mode: "open", delegatesFocus: true });
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          highlightSpecialChars(),
          drawSelection(),
          replaceInput,
          history(),
          bracketMatching(),
          cel,
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          theme,
          look,
          EditorView.lineWrapping,
          placeholder(hint),
          completions(writing),
          hovers(writing),
          EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onEdit(update.state.doc.toString());
          }),
        ],
      }),
    });
  }

  /** Replaces the expression in an undoable step. */
  setText(text: string): void {
    const { doc } = this.#view.state;
    if (doc.toString() === text) return;
    this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text }, selection: { anchor: text.length } });
  }

  /** Replaces the marked errors. */
  showErrors(errors: readonly { readonly message: string; readonly range: Range }[]): void {
    const { doc } = this.#view.state;
    const diagnostics = errors.map(({ message, range }) => {
      const from = offsetOf(doc, range.start);
      return { from, to: Math.max(from, offsetOf(doc, range.end)), severity: "error" as const, message };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics.sort((a, b) => a.from - b.from)));
  }

  /** Selects a range. */
  select({ start, end }: Range): void {
    const { doc } = this.#view.state;
    this.#view.dispatch({
      selection: { anchor: offsetOf(doc, start), head: offsetOf(doc, end) },
      scrollIntoView: true,
    });
    this.#view.focus();
  }

  focus(): void {
    this.#view.focus();
  }
}
