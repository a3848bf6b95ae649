import { type DocumentName, documentNames, emptyScenario, isOneOf, sameScenario, type Scenario } from "../scenario";

/** What became of the link or the address that was opened last. */
export type Source =
  | { readonly at: "nowhere" }
  | { readonly at: "fetching"; readonly address: string }
  | Fetched
  /** The scenario is the one at which it failed. */
  | { readonly at: "failed"; readonly problem: string; readonly scenario: Scenario };

/** Texts as they were fetched from an address. */
export interface Fetched {
  readonly at: "fetched";
  readonly address: string;
  readonly texts: Partial<Record<DocumentName, string>>;
}

export const nowhere: Source = { at: "nowhere" };

/** A scenario and where it comes from. */
export interface Sourced {
  readonly scenario: Scenario;
  readonly source: Source;
}

/** What was fetched, as long as nobody edited it. */
export function fetchedOf({ scenario, source }: Sourced): Fetched | undefined {
  if (source.at !== "fetched") return undefined;
  const isEdited = documentNames.some((name) => source.texts[name] !== undefined && source.texts[name] !== scenario[name]);
  return isEdited ? undefined : source;
}

/** The address, if it is enough to open the scenario by. */
export function sourceAddressOf(sourced: Sourced): string | undefined {
  const fetched = fetchedOf(sourced);
  return fetched && sameScenario(sourced.scenario, { ...emptyScenario, ...fetched.texts }) ? fetched.address : undefined;
}

/** Why the link or address was not opened; empty once anything else is done. */
export function problemOf({ scenario, source }: Sourced): string {
  return source.at === "failed" && source.scenario === scenario ? source.problem : "";
}

/** What was fetched, less the texts, which are in the scenario. */
export interface StoredSource {
  readonly address: string;
  readonly documents: readonly DocumentName[];
}

export function storedSourceOf(sourced: Sourced): StoredSource | undefined {
  const fetched = fetchedOf(sourced);
  return fetched && { address: fetched.address, documents: documentNames.filter((name) => fetched.texts[name] !== undefined) };
}

/** Reads what {@link storedSourceOf} wrote. */
export function sourceFrom(value: unknown, scenario: Scenario): Source {
  if (typeof value !== "object" || value === null) return nowhere;
  const { address, documents } = value as Partial<Record<keyof StoredSource, unknown>>;
  if (typeof address !== "string" || !Array.isArray(documents)) return nowhere;
  const names = documents.filter((name) => isOneOf(documentNames, name));
  return { at: "fetched", address, texts: Object.fromEntries(names.map((name) => [name, scenario[name]])) };
}
