// What the page knows of the engine's contract: the question, and of the
// answer only what the editors mark. Everything else comes as HTML.

export const documentNames = ["crd", "object"] as const;
export type DocumentName = (typeof documentNames)[number];

export const panelNames = ["outcome", "rules", "kubectl", "versions"] as const;
export type PanelName = (typeof panelNames)[number];

export const validations = ["Strict", "Warn", "Ignore"] as const;
export type Validation = (typeof validations)[number];

export interface Scenario {
  readonly crd: string;
  readonly object: string;
  readonly fieldValidation: Validation;
}

/** A zero-based place in a text, in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export interface Finding {
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  readonly hint: string;
  readonly document: string;
  readonly range: Range;
}

export interface Answer {
  readonly report: {
    readonly crd: { readonly findings: readonly Finding[] };
    readonly objects: readonly { readonly findings: readonly Finding[] }[];
  };
  readonly panels: Readonly<Record<string, string>>;
}

export function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return (values as readonly unknown[]).includes(value);
}

export function findingsOf(answer: Answer | undefined): readonly Finding[] {
  if (!answer) return [];
  const { crd, objects } = answer.report;
  return [...crd.findings, ...objects.flatMap((object) => object.findings)];
}

export function sameScenario(a: Scenario, b: Scenario): boolean {
  return a.crd === b.crd && a.object === b.object && a.fieldValidation === b.fieldValidation;
}
