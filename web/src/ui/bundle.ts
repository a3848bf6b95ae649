import type { Range } from "../api";
import type { DocumentName, Scenario } from "../scenario";

/** No file may be larger, in bytes: nothing in Kubernetes is. */
export const maxFileSize = 8 << 20;

// A field at the start of a line, or anywhere in JSON.
const isCRD = (text: string): boolean => /(?:^\s*"?kind"?|[{,]\s*"kind"\s*):\s*"?CustomResourceDefinition\b/m.test(text);
const isResource = (text: string): boolean =>
  /(?:^\s*"?kind"?|[{,]\s*"kind"\s*):/m.test(text) && /(?:^\s*"?apiVersion"?|[{,]\s*"apiVersion"\s*):/m.test(text);

/** The YAML documents of a text, without those that hold nothing. */
function documentsOf(text: string): readonly string[] {
  return text.split(/^---(?:[ \t].*)?(?:\r?\n|$)/m).filter((part) => /^\s*[^\s#]/m.test(part));
}

/** Several documents as one text. */
export function joined(texts: readonly string[]): string {
  return texts.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("---\n");
}

/**
 * A text with CRDs as well as objects, as the two documents that these belong
 * into. It is undefined if there is only one kind, or if the text is for a
 * document that is neither.
 */
export function splitBundle(text: string, document: DocumentName): Partial<Scenario> | undefined {
  if (document !== "crd" && document !== "object") return undefined;
  const sorted = sortResources(text);
  return sorted?.crd === undefined || sorted.object === undefined ? undefined : sorted;
}

/** Texts of files: of several the CRDs are told apart, of one its documents are. */
export function sortTexts(texts: readonly string[], active: DocumentName): Partial<Scenario> {
  const only = texts.length === 1 ? texts[0] : undefined;
  if (only !== undefined) return splitBundle(only, active) ?? { [active]: only };
  const parts = texts.flatMap(documentsOf);
  const crds = parts.filter(isCRD);
  const others = parts.filter((part) => !isCRD(part));
  return {
    ...(crds.length > 0 ? { crd: joined(crds) } : {}),
    ...(others.length > 0 ? { object: joined(others) } : {}),
  };
}

/**
 * A text of which nothing is known, as the documents that it belongs into;
 * undefined if it holds no resource.
 */
export function sortResources(text: string): Partial<Record<"crd" | "object", string>> | undefined {
  const parts = documentsOf(text);
  const crds = parts.filter(isCRD);
  const objects = parts.filter((part) => !isCRD(part) && isResource(part));
  if (crds.length > 0 && objects.length > 0) return { crd: joined(crds), object: joined(objects) };
  if (crds.length > 0) return { crd: text };
  return objects.length > 0 ? { object: text } : undefined;
}

/** A text with the document that has a range before the others. */
export function documentFirst(text: string, { start, end }: Range): string {
  const lines = text.split("\n");
  const chosen = lines.slice(start.line, end.line + 1).join("\n");
  const others = documentsOf([...lines.slice(0, start.line), ...lines.slice(end.line + 1)].join("\n"));
  return joined([chosen.trimEnd(), ...others]);
}
