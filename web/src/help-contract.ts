// The engine's contract for those who write: what may stand at a cursor, and
// what is known of what stands there.

import type { DocumentName, Position, Range, Scenario } from "./contract";

/** Asks for help with writing. */
export type HelpQuestion =
  | { readonly complete: Cursor }
  | { readonly hover: Cursor }
  | { readonly sample: { readonly crd: string; readonly version?: string; readonly full?: boolean } }
  | { readonly format: { readonly text: string } }
  | { readonly try: TryRequest };

/** The help, by what it is. */
export interface Answers {
  readonly completion?: Completion;
  readonly hover?: Hover;
  readonly sample?: Sample;
  readonly formatted?: Formatted;
  readonly tried?: Tried;
  /** The engine lacks a part that would have told more. */
  readonly missing?: boolean;
}

export interface Cursor {
  readonly scenario: Partial<Scenario>;
  readonly position: Position;
  /** The document that the position is in, or the expression. */
  readonly document?: DocumentName;
  readonly trial?: Trial;
}

/** An expression, and the node of an object at which it is tried. */
export interface Trial {
  readonly expression: string;
  /** The index of the object. */
  readonly object: number;
  /** Empty: the whole object. */
  readonly path: string;
}

export interface TryRequest {
  readonly scenario: Partial<Scenario>;
  readonly trial: Trial;
  /** A place in the object's text that tells the node. */
  readonly position?: Position;
}

/** What became of a trial. */
export interface Tried {
  /** Why nothing can be tried, in words, or empty. */
  readonly problem: string;
  readonly object: number;
  readonly path: string;
  readonly range: Range | null;
  readonly schemaPath: string;
  readonly objects: readonly string[];
  readonly paths: readonly string[];
  readonly self: string;
  readonly errors: readonly { readonly message: string; readonly range: Range }[];
  readonly type: string;
  readonly usesOldSelf: boolean;
  readonly optionalOldSelf: boolean;
  readonly outcome: "pass" | "error" | "skipped";
  readonly why: string;
  readonly failure: string;
  readonly value: string;
  readonly trace: readonly TraceStep[];
  readonly actualCost: number;
  readonly expressionCost: number;
  readonly cardinality: number;
  readonly unbounded: boolean;
  readonly estimatedCost: number;
  readonly costLimit: number;
}

export interface TraceStep {
  readonly expression: string;
  readonly value: string;
  /** Whether the value is that of the last item of several. */
  readonly loop: boolean;
  /** In the expression. */
  readonly range: Range;
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
