// The engine's contract with the page: the question, and of the answer what the
// editors mark. Everything else comes as HTML.

/** The documents, in the order of their tabs. */
export const documentNames = [
  "crd",
  "object",
  "oldCrd",
  "oldObject",
  "conversion",
  "admission",
] as const;
export type DocumentName = (typeof documentNames)[number];

export const panelNames = ["outcome", "rules", "kubectl", "versions", "schema"] as const;
export type PanelName = (typeof panelNames)[number];

export const validations = ["Strict", "Warn", "Ignore"] as const;
export type Validation = (typeof validations)[number];

/** Empty: an update if there is an old object, else a create. */
export const operations = ["", "create", "update", "updateStatus", "apply", "delete", "scale"] as const;
export type Operation = (typeof operations)[number];

/** A Kubernetes release, as the page offers them; empty: the newest. */
const releasePattern = /^1\.\d{2}$/;

export function isRelease(value: unknown): value is string {
  return typeof value === "string" && (value === "" || releasePattern.test(value));
}

type Texts = Readonly<Record<DocumentName, string>>;

const maxReplicas = 2 ** 31 - 1;

export function replicasOf(value: unknown): number {
  const replicas = Math.trunc(Number(value));
  return replicas > 0 && replicas <= maxReplicas ? replicas : 0;
}

export interface Scenario extends Texts {
  /** The release whose CEL library and feature gates apply; empty: the newest. */
  readonly kubernetes: string;
  readonly operation: Operation;
  /** Who applies; empty: kubectl. */
  readonly fieldManager: string;
  readonly force: boolean;
  /** How many replicas scale asks for. */
  readonly replicas: number;
  /** Who asks, and in which groups, separated by commas; empty: an administrator. */
  readonly user: string;
  readonly groups: string;
  readonly fieldValidation: Validation;
  /** The RFC 3339 instant of the request; empty: the real one. */
  readonly now: string;
}

/** What goes without saying, in links too. */
export const emptyScenario: Scenario = {
  kubernetes: "",
  crd: "",
  object: "",
  oldCrd: "",
  oldObject: "",
  conversion: "",
  admission: "",
  operation: "",
  fieldManager: "",
  force: false,
  replicas: 0,
  user: "",
  groups: "",
  fieldValidation: "Strict",
  now: "",
};

const fields = Object.keys(emptyScenario) as readonly (keyof Scenario)[];

/** Reads a scenario out of an object's fields; unusable ones take their default. */
export function scenarioFrom(source: Partial<Record<string, unknown>>): Scenario {
  const text = (name: string): string => {
    const field = source[name];
    return typeof field === "string" ? field : "";
  };
  const { kubernetes, operation, fieldValidation } = source;
  return {
    kubernetes: isRelease(kubernetes) ? kubernetes : "",
    crd: text("crd"),
    object: text("object"),
    oldCrd: text("oldCrd"),
    oldObject: text("oldObject"),
    conversion: text("conversion"),
    admission: text("admission"),
    operation: isOneOf(operations, operation) ? operation : "",
    fieldManager: text("fieldManager"),
    force: source["force"] === true,
    replicas: replicasOf(source["replicas"]),
    user: text("user"),
    groups: text("groups"),
    fieldValidation: isOneOf(validations, fieldValidation) ? fieldValidation : "Strict",
    now: text("now"),
  };
}

/** A scenario less the fields that have their defaults; the CRD always stays. */
export function withoutDefaults(scenario: Scenario): Partial<Scenario> {
  const kept = fields.filter((name) => name === "crd" || scenario[name] !== emptyScenario[name]);
  return Object.fromEntries(kept.map((name) => [name, scenario[name]]));
}

export function sameScenario(a: Scenario, b: Scenario): boolean {
  return fields.every((name) => a[name] === b[name]);
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

/** Replaces a range of a document. */
export interface TextEdit {
  readonly document: string;
  readonly range: Range;
  readonly newText: string;
}

/** A change that makes a finding go away. Its edits' ranges are all those before. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
}

export interface Finding {
  readonly severity: "error" | "warning" | "info";
  readonly stage: string;
  readonly message: string;
  readonly hint: string;
  readonly document: string;
  readonly range: Range;
  readonly fixes: readonly Fix[];
}

/** Asks for what the page shows of a scenario. */
export interface View {
  readonly scenario: Partial<Scenario> & { readonly schemas?: true };
  /** The names of the panels that are in sight. */
  readonly panels: readonly string[];
  /** The answer is to come as soon as it tells something. */
  readonly preliminary?: true;
}

export interface Answer {
  readonly findings: readonly Finding[];
  /** What kubectl prints: of the CRD, then of each object. */
  readonly outputs: readonly string[];
  /** What of the engine the scenario needs and the module that answered lacks. */
  readonly missing?: readonly string[];
  /** The rules of the CRD have not been validated yet, so there may be more problems. */
  readonly preliminary?: boolean;
  /** The HTML of the panels that were asked for, by name. */
  readonly panels: Readonly<Record<string, string>>;
}

/** What the engine says instead of an answer when it is at fault. */
export interface Fault {
  readonly error: string;
}

export function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return (values as readonly unknown[]).includes(value);
}
