import { isCRD } from "./bundle";
import { documentNames, type DocumentName, emptyScenario, type Scenario } from "./scenario";

/** Reports whether a text is a document of a known example. */
export type IsExample = (name: DocumentName, text: string) => boolean;

/** Returns the present scenario with documents that replace others. */
export type Replaced = (documents: Partial<Scenario>) => Scenario;

/**
 * Returns a scenario with documents that replace others. Another CRD begins a scenario of its
 * own: the options have kubectl's defaults, and documents of an example are set aside. Go types
 * would overwrite it, so it replaces them, too.
 */
export function replaceDocuments(before: Scenario, documents: Partial<Scenario>, isExample: IsExample): Scenario {
  const change = documents.crd === undefined ? documents : { go: "", ...documents };
  const { crd = before.crd } = change;
  const isOther = isExample("crd", before.crd) || nameOf(crd) !== nameOf(before.crd);
  if (before.crd.trim() === "" || crd === before.crd || !isCRD(crd) || !isOther) return { ...before, ...change };
  const kept = documentNames.filter((name) => !isExample(name, before[name]));
  return { ...emptyScenario, ...Object.fromEntries(kept.map((name) => [name, before[name]])), ...change };
}

/** Returns the name of the first CRD in a text, which has the form plural.group; empty without one. */
function nameOf(text: string): string {
  return /(?:^\s*|[{,]\s*)"?name"?:\s*["']?([a-z0-9-]+\.[a-z0-9.-]+)/m.exec(text)?.[1] ?? "";
}
