import type { Config } from "./config";
import { type DocumentName, documentNames, emptyScenario, groupOf, type PanelName, type Scenario, scenarioFrom } from "./scenario";
import { element } from "./dom";
import type { FieldPlace } from "./fields";
import type { Example, Gallery } from "./gallery";
import type { Preset } from "./own";
import { sourceAddressOf, nowhere, type Source } from "./remote/source";
import { decode } from "./share/codec";
import { type ConsoleState, emptyConsole } from "./session";
import { type Fragment, parseFragment } from "./share/fragment";
import { sortResources } from "./bundle";
import { continuesVisit, storedSession } from "./storage";

/** The initial content of the page. */
export interface Start {
  readonly scenario: Scenario;
  /** The example that the last session began with, if any. */
  readonly example: Preset | undefined;
  readonly document: DocumentName;
  readonly beside: DocumentName;
  readonly opened: readonly DocumentName[];
  readonly panel: PanelName;
  readonly field: FieldPlace | undefined;
  readonly console: ConsoleState;
  readonly source: Source;
}

/**
 * Chooses the initial content: the link's scenario, the last session, or the
 * scenario that the server put into the page, in that order. At a short link, the
 * server's scenario is the link's. An invalid link yields a notice and replaces
 * nothing. A reload restores the session, because the link may lag behind the
 * last edits. Documents at a linked address are fetched after the start.
 */
export async function openStart(
  hash: string,
  served: Scenario,
  gallery: Gallery,
  atShortLink: boolean,
): Promise<Start> {
  const fragment = parseFragment(hash);
  const stored = storedSession();
  const continued = continuesVisit(stored);
  const linked = continued ? {} : await openLink(fragment, gallery);
  const last = linked.scenario || (atShortLink && !continued) ? undefined : stored;
  const scenario = linked.scenario ?? last?.scenario ?? served;
  const document = last?.document ?? documentOf(scenario);
  return {
    scenario,
    example: last?.example,
    document,
    beside: last?.beside ?? besideOf(document),
    opened: last?.opened ?? [],
    panel: fragment.panel ?? last?.panel ?? "outcome",
    field: fragment.field,
    console: stored?.scenario.crd === scenario.crd ? stored.console : emptyConsole,
    source: linked.problem === undefined ? last?.source ?? nowhere : { at: "failed", problem: linked.problem, scenario },
  };
}

/** Returns the address in a link, unless the documents from there were edited since. */
export function addressToOpen(hash: string): string | undefined {
  const { url } = parseFragment(hash);
  const stored = storedSession();
  return url === undefined || !continuesVisit(stored) || sourceAddressOf(stored) === url ? url : undefined;
}

/** Reports whether the browser loaded the page again. */
export function isReload(): boolean {
  const [load] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return load?.type === "reload";
}

/** Chooses the initial document: the object if it is not empty. */
export function documentOf(scenario: Scenario): DocumentName {
  return scenario.object === "" ? "crd" : "object";
}

/** Chooses the document beside another one: the first of the other pane. */
export function besideOf(name: DocumentName): DocumentName {
  return groupOf(name).includes("crd") ? "object" : "crd";
}

/** The target of a link: a scenario, nothing, or a sentence about an error. */
export interface Linked {
  readonly scenario?: Scenario;
  readonly problem?: string;
}

/** Opens the scenario that a link contains or names, except the documents at an address. */
export async function openLink(fragment: Fragment, gallery: Gallery): Promise<Linked> {
  const linked = await openNamed(fragment, gallery);
  const { release } = fragment;
  return linked.scenario && release ? { scenario: { ...linked.scenario, kubernetes: release } } : linked;
}

async function openNamed(fragment: Fragment, gallery: Gallery): Promise<Linked> {
  try {
    if (fragment.yaml) {
      const texts = sortResources(fragment.yaml);
      return texts ? { scenario: { ...emptyScenario, ...texts } } : { problem: "The link contains no Kubernetes object: no document has apiVersion and kind." };
    }
    if (fragment.payload) return { scenario: await decode(fragment.payload) };
    if (!fragment.example) return {};
    const example = await gallery.get(fragment.example);
    return example ? { scenario: example.scenario } : { problem: `There is no example "${fragment.example}".` };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The scenario that the server put into the page. */
export function servedScenario({ options }: Config): Scenario {
  const texts = documentNames.map((name): [DocumentName, string] => [
    name,
    document.querySelector<HTMLTextAreaElement>(`[data-editor="${name}"] textarea`)?.value ?? "",
  ]);
  return scenarioFrom({ ...options, ...Object.fromEntries(texts) });
}

/** The example that the server put into the page, if it is one. */
export function servedExample({ example }: Config, scenario: Scenario): Example | undefined {
  const note = element("example-note", HTMLElement).textContent;
  return example === "" ? undefined : { id: example, note, scenario };
}
