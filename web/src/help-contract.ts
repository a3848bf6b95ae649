// The engine's contract for those who write: what may stand at a cursor, and
// what is known of what stands there.

import type { DocumentName, Position, Range, Scenario } from "./contract";

/** Asks for help with writing. */
export type HelpQuestion =
  | { readonly complete: Cursor }
  | { readonly hover: Cursor }
  | { readonly sample: { readonly crd: string; readonly version?: string; readonly full?: boolean } }
  | { readonly format: { readonly text: string } };

/** The help, by what it is. */
export interface Answers {
  readonly completion?: Completion;
  readonly hover?: Hover;
  readonly sample?: Sample;
  readonly formatted?: Formatted;
  /** The engine lacks a part that would have told more. */
  readonly missing?: boolean;
}

export interface Cursor {
  readonly scenario: Partial<Scenario>;
  readonly document: DocumentName;
  readonly position: Position;
}

export interface Completion {
  /** What is there already, and is replaced. */
  readonly range: Range;
  readonly items: readonly CompletionItem[];
}

export interface CompletionItem {
  readonly label: string;
  readonly kind: "field" | "value" | "variable" | "function" | "macro";
  readonly detail: string;
  readonly required: boolean;
  readonly description: string;
  readonly insert: string;
  /** Where in the insert the writing goes on. */
  readonly stops: readonly number[];
}

export interface Hover {
  readonly range: Range;
  /** Empty if there is nothing to tell. */
  readonly title: string;
  readonly type: string;
  readonly description: string;
  readonly facts: readonly { readonly name: string; readonly text: string }[];
}

export interface Sample {
  /** Empty if there is no CRD to make one of. */
  readonly object: string;
  readonly unsolved: readonly string[];
}

export interface Formatted {
  /** Empty if the problem says why it cannot be formatted. */
  readonly text: string;
  readonly problem: string;
  readonly range: Range;
}
