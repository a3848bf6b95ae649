import type { DocumentName, Scenario } from "./scenario";

/** The maximum size of a file, in bytes; Kubernetes accepts less. */
export const maxFileSize = 8 << 20;

// Match a field at the start of a line, or anywhere in JSON.
export const isCRD = (text: string): boolean => /(?:^\s*"?kind"?|[{,]\s*"kind"\s*):\s*"?CustomResourceDefinition\b/m.test(text);
/** Reports whether source is a file of Go. */
export const isGo = (text: string): boolean => /^package\s+\w+\s*$/m.test(text);
const isResource = (text: string): boolean =>
  /(?:^\s*"?kind"?|[{,]\s*"kind"\s*):/m.test(text) && /(?:^\s*"?apiVersion"?|[{,]\s*"apiVersion"\s*):/m.test(text);

/** Splits a YAML stream into its documents and drops empty ones. */
function documentsOf(text: string): readonly string[] {
  return text.split(/^---(?:[ \t].*)?(?:\r?\n|$)/m).filter((part) => /^\s*[^\s#]/m.test(part));
}

/** Joins documents to one YAML stream. */
export function joinDocuments(texts: readonly string[]): string {
  return texts.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("---\n");
}

/**
 * Divides a stream of CRDs and objects between the two documents. Returns undefined
 * if the stream has only one kind or belongs into another document.
 */
export function splitBundle(text: string, document: DocumentName): Partial<Scenario> | undefined {
  if (document !== "crd" && document !== "object") return undefined;
  const sorted = sortResources(text);
  return sorted?.crd === undefined || sorted.object === undefined ? undefined : sorted;
}

/** Assigns the contents of files to documents. Only CRDs are told apart from other kinds. */
export function sortTexts(texts: readonly string[], active: DocumentName): Partial<Scenario> {
  const only = texts.length === 1 ? texts[0] : undefined;
  if (texts.length > 0 && texts.every(isGo)) return { go: texts.join("\n") };
  if (only !== undefined) return splitBundle(only, active) ?? { [active]: only };
  const parts = texts.flatMap(documentsOf);
  const crds = parts.filter(isCRD);
  const others = parts.filter((part) => !isCRD(part));
  return {
    ...(crds.length > 0 ? { crd: joinDocuments(crds) } : {}),
    ...(others.length > 0 ? { object: joinDocuments(others) } : {}),
  };
}

/**
 * Assigns the resources of a stream to the CRD and the object. Returns undefined if
 * there is no resource.
 */
export function sortResources(text: string): Partial<Record<"crd" | "object", string>> | undefined {
  const parts = documentsOf(text);
  const crds = parts.filter(isCRD);
  const objects = parts.filter((part) => !isCRD(part) && isResource(part));
  if (crds.length > 0 && objects.length > 0) return { crd: joinDocuments(crds), object: joinDocuments(objects) };
  if (crds.length > 0) return { crd: text };
  return objects.length > 0 ? { object: text } : undefined;
}
