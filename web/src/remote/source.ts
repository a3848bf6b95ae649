import { type DocumentName, documentNames, emptyScenario, isOneOf, sameScenario, type Scenario } from "../scenario";

/** The state of the link or address that was opened last. */
export type Source =
  | { readonly at: "nowhere" }
  | { readonly at: "fetching"; readonly address: string }
  | Fetched
  /** The scenario at the time of the failure. */
  | { readonly at: "failed"; readonly problem: string; readonly scenario: Scenario };

/** Documents as they were fetched from an address. */
export interface Fetched {
  readonly at: "fetched";
  /** The addresses, one on each line. */
  readonly address: string;
  /** The day of the last visit, if the documents have changed since. */
  readonly since?: string;
  readonly texts: Partial<Record<DocumentName, string>>;
}

export const nowhere: Source = { at: "nowhere" };

/** A scenario and its source. */
export interface Sourced {
  readonly scenario: Scenario;
  readonly source: Source;
}

/** Returns the fetched documents unless they were edited. */
export function fetchedOf({ scenario, source }: Sourced): Fetched | undefined {
  if (source.at !== "fetched") return undefined;
  const isEdited = documentNames.some((name) => source.texts[name] !== undefined && source.texts[name] !== scenario[name]);
  return isEdited ? undefined : source;
}

/** Returns the address if it alone restores the scenario. */
export function sourceAddressOf(sourced: Sourced): string | undefined {
  const fetched = fetchedOf(sourced);
  return fetched && sameScenario(sourced.scenario, { ...emptyScenario, ...fetched.texts }) ? fetched.address : undefined;
}

/** Returns the error of the link or address; empty after the next change. */
export function problemOf({ scenario, source }: Sourced): string {
  return source.at === "failed" && source.scenario === scenario ? source.problem : "";
}

/** Removes the documents from a source, because the scenario contains them. */
export interface StoredSource {
  readonly address: string;
  readonly documents: readonly DocumentName[];
}

export function storedSourceOf(sourced: Sourced): StoredSource | undefined {
  const fetched = fetchedOf(sourced);
  return fetched && { address: fetched.address, documents: documentNames.filter((name) => fetched.texts[name] !== undefined) };
}

/** Decodes the result of {@link storedSourceOf}. */
export function sourceFrom(value: unknown, scenario: Scenario): Source {
  if (typeof value !== "object" || value === null) return nowhere;
  const { address, documents } = value as Partial<Record<keyof StoredSource, unknown>>;
  if (typeof address !== "string" || !Array.isArray(documents)) return nowhere;
  const names = documents.filter((name) => isOneOf(documentNames, name));
  return { at: "fetched", address, texts: Object.fromEntries(names.map((name) => [name, scenario[name]])) };
}
