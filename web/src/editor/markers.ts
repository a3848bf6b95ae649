import { type Diagnostic, diagnosticCount, setDiagnostics } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { Finding, Fix, Position } from "../api.gen";

/** Converts a position to an offset, clamped to the document. */
export function offsetOf(text: Text, { line, character }: Position): number {
  if (line < 0) return 0;
  if (line >= text.lines) return text.length;
  const { from, length } = text.line(line + 1);
  return from + Math.min(Math.max(character, 0), length);
}

/** Converts an offset to a position. */
export function positionOf(text: Text, offset: number): Position {
  const { number, from } = text.lineAt(offset);
  return { line: number - 1, character: offset - from };
}

/** What the editor marks of a finding. */
export type Marked = Pick<Finding, "range" | "severity" | "message" | "hint" | "fixes">;

/** Replaces the marked findings. */
export function showFindings(
  view: EditorView,
  findings: readonly Marked[],
  onFix: (fix: Fix) => void,
): void {
  if (findings.length === 0 && diagnosticCount(view.state) === 0) return;
  const text = view.state.doc;
  const diagnostics = findings.map((finding) => toDiagnostic(text, finding, onFix));
  diagnostics.sort((a, b) => a.from - b.from || a.to - b.to);
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

function toDiagnostic(
  text: Text,
  { range, severity, message, hint, fixes }: Marked,
  onFix: (fix: Fix) => void,
): Diagnostic {
  const from = offsetOf(text, range.start);
  const to = Math.max(from, offsetOf(text, range.end));
  return {
    from,
    // Mark only the first line of a block, to avoid one long squiggle.
    to: Math.min(to, text.lineAt(from).to),
    severity,
    message: hint ? `${message}\n${hint}` : message,
    actions: fixes.map((fix) => ({ name: fix.title, apply: () => onFix(fix) })),
  };
}
