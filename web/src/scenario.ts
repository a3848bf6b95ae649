// The scenario as the page holds it, with every field set, and the names that the
// page lists in an order of its own.

import type { Finding, Scenario as WireScenario } from "./api.gen";

export type DocumentName = Finding["document"];

/** The documents, in the order of their tabs. */
export const documentNames: readonly DocumentName[] = ["crd", "object", "go", "oldCrd", "oldObject", "conversion", "admission"];

/** The documents that share a pane, in the order of the panes. */
export const documentGroups: readonly (readonly DocumentName[])[] = [
  ["crd", "go", "oldCrd", "conversion"],
  ["object", "oldObject", "admission"],
];

/** Returns the documents that share a pane with a document. */
export function groupOf(name: DocumentName): readonly DocumentName[] {
  return documentGroups.find((group) => group.includes(name)) ?? [name];
}

export const panelNames = ["outcome", "rules", "kubectl", "versions", "schema", "releases", "changes", "tests"] as const;
export type PanelName = (typeof panelNames)[number];

export type Validation = NonNullable<WireScenario["fieldValidation"]>;

export const validations: readonly Validation[] = ["Strict", "Warn", "Ignore"];

/** Empty: an update if there is an old object, otherwise a create. */
export type Operation = NonNullable<WireScenario["operation"]> | "";

export const operations: readonly Operation[] = ["", "create", "update", "updateStatus", "apply", "applyStatus", "delete", "scale"];

/** Empty: an update if there is an old CRD, otherwise a create. */
export type CrdOperation = NonNullable<WireScenario["crdOperation"]> | "";

export const crdOperations: readonly CrdOperation[] = ["", "create", "update", "clientApply", "apply"];

/** A scenario whose absent fields are empty. It requests nothing that only a panel needs: the view does. */
export type Scenario = Required<Omit<WireScenario, "operation" | "crdOperation" | "crdStored" | "schemas" | "releases">> & {
  readonly operation: Operation;
  readonly crdOperation: CrdOperation;
};

/** A Kubernetes release as the page offers it; empty: the newest. */
const releasePattern = /^1\.\d{2}$/;

export function isRelease(value: unknown): value is string {
  return typeof value === "string" && (value === "" || releasePattern.test(value));
}

const maxReplicas = 2 ** 31 - 1;

/** Converts a value to a number of replicas; 0 if it is not one. */
export function replicasOf(value: unknown): number {
  const replicas = Math.trunc(Number(value));
  return replicas > 0 && replicas <= maxReplicas ? replicas : 0;
}

/** Converts a value to an index; 0 if it is not one. */
function indexOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0;
}

/** The defaults, which requests and links omit. */
export const emptyScenario: Scenario = {
  kubernetes: "",
  crd: "",
  go: "",
  crdIndex: 0,
  crdOperation: "",
  crdFieldManager: "",
  crdForce: false,
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

/** Reads a scenario from an object's fields; unusable fields get their default. */
export function scenarioFrom(source: Partial<Record<string, unknown>>): Scenario {
  const text = (name: string): string => {
    const field = source[name];
    return typeof field === "string" ? field : "";
  };
  const { kubernetes, operation, crdOperation, fieldValidation } = source;
  return {
    kubernetes: isRelease(kubernetes) ? kubernetes : "",
    crd: text("crd"),
    go: text("go"),
    crdIndex: indexOf(source["crdIndex"]),
    crdOperation: isOneOf(crdOperations, crdOperation) ? crdOperation : "",
    crdFieldManager: text("crdFieldManager"),
    crdForce: source["crdForce"] === true,
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

/** Removes the fields that have their defaults; the CRD always stays. */
export function withoutDefaults(scenario: Scenario): WireScenario {
  const kept = fields.filter((name) => name === "crd" || scenario[name] !== emptyScenario[name]);
  return Object.fromEntries(kept.map((name) => [name, scenario[name]])) as WireScenario;
}

export function sameScenario(a: Scenario, b: Scenario): boolean {
  return fields.every((name) => a[name] === b[name]);
}

export function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return (values as readonly unknown[]).includes(value);
}
