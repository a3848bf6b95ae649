import { isCRD } from "./bundle";
import { type DocumentName, documentNames, emptyScenario, isOneOf, sameScenario, type Scenario } from "./scenario";

/** Reports whether source is a document of a known example. */
export type IsExample = (name: DocumentName, text: string) => boolean;

/** Finds a known example with exactly this scenario and returns its scenario. */
export type FindExample = (scenario: Scenario) => Scenario | undefined;

/** Returns the present scenario with documents that replace others. */
export type Replaced = (documents: Partial<Scenario>) => Scenario;

/** An example that was opened. Its options and documents belong to its CRD. */
export interface Preset {
  readonly scenario: Scenario;
  /** The options that the user has changed since. */
  readonly chosen: readonly (keyof Scenario)[];
  /** Once the CRD is another one: the options and documents that got their defaults. */
  readonly aside?: readonly (keyof Scenario)[];
}

/** The part of the session that decides whether the CRD still comes from an example. */
export interface Followed {
  readonly scenario: Scenario;
  readonly origin: "opened" | "changed" | "typed";
  readonly example?: Preset | undefined;
}

/** The options and documents that an example presets for its CRD. */
const presettable = (Object.keys(emptyScenario) as (keyof Scenario)[]).filter((name) => name !== "crd");

/** The options. The index belongs to the CRD, so nobody chooses it for another one. */
const options = presettable.filter((name) => !isOneOf(documentNames, name) && name !== "crdIndex");

/**
 * Returns a scenario with documents that replace others. Another CRD begins a scenario of its
 * own: the options have kubectl's defaults, and documents of an example are set aside. Options
 * that the user chose beside an example stay. Go types would overwrite the CRD, so it replaces
 * them, too.
 */
export function replaceDocuments({ scenario: before, example }: Followed, documents: Partial<Scenario>, isExample: IsExample): Scenario {
  const change = documents.crd === undefined ? documents : { go: "", ...documents };
  const { crd = before.crd } = change;
  const preset = example?.aside ? undefined : example;
  const isBlank = before.crd.trim() === "";
  const stays = preset ? crd === preset.scenario.crd : isBlank;
  const isNew = isExample("crd", before.crd) || nameOf(crd) !== nameOf(before.crd) || (preset && (isBlank || isOther(preset.scenario.crd, crd)));
  if (crd === before.crd || !isCRD(crd) || stays || !isNew) return { ...before, ...change };
  const own = preset ? withoutPreset(before, preset) : withValues(emptyScenario, documentNames, before);
  return { ...withValues(own, documentNames.filter((name) => isExample(name, before[name])), emptyScenario), ...change };
}

/**
 * Returns the state after a change, in which an example's options and documents follow its CRD:
 * they get their defaults once the user has made another CRD of it, and come back with it, for
 * example by undo. What was opened as a whole stays as it is.
 */
export function followExample<T extends Followed>(previous: Followed, next: T, find: FindExample): T {
  const { scenario, example: preset } = next;
  const isOpened = next.origin === "opened";
  // A link may open an example in another release.
  const found = find(scenario) ?? (isOpened ? find({ ...scenario, kubernetes: "" }) : undefined);
  if (found && (isOpened || !preset || !sameScenario(found, preset.scenario))) {
    return { ...next, example: { scenario: found, chosen: options.filter((name) => scenario[name] !== found[name]) } };
  }
  // The start of the page restores the example of the last visit.
  if (!preset || preset !== previous.example) return next;
  if (scenario.crd === previous.scenario.crd && !isOpened) return { ...next, example: withChosen(preset, previous.scenario, scenario) };
  if (isOpened) return { ...next, example: afterOpening(preset, previous.scenario, scenario) };
  if (isOfAnother(preset, scenario) && !preset.aside) {
    return { ...next, scenario: withoutPreset(scenario, preset), example: { ...preset, aside: presetIn(scenario, preset) } };
  }
  if (isOfExample(preset, scenario) && preset.aside) {
    const { aside, ...rest } = preset;
    const returning = aside.filter((name) => scenario[name] === emptyScenario[name] && !preset.chosen.includes(name));
    return { ...next, scenario: withValues(scenario, returning, preset.scenario), example: rest };
  }
  return next;
}

/** Adds the options that a change sets. */
function withChosen(preset: Preset, before: Scenario, after: Scenario): Preset {
  const chosen = options.filter((name) => preset.chosen.includes(name) || before[name] !== after[name]);
  return chosen.length > preset.chosen.length ? { ...preset, chosen } : preset;
}

/** Returns the example after the opening of documents, which may have set aside its documents. */
function afterOpening(preset: Preset, before: Scenario, after: Scenario): Preset | undefined {
  const { aside, ...rest } = preset;
  const dropped = presetIn(before, preset).filter((name) => after[name] === emptyScenario[name]);
  const isReplaced = before.crd !== after.crd && dropped.length > 0;
  if (!isOfExample(preset, after)) return isReplaced || isOfAnother(preset, after) ? { ...rest, aside: aside ?? dropped } : preset;
  // A CRD that resembles the example's was pasted over it.
  return isReplaced ? undefined : rest;
}

/** Returns the options and documents that a scenario still has from an example. */
function presetIn(scenario: Scenario, { scenario: example, chosen }: Preset): readonly (keyof Scenario)[] {
  return presettable.filter((name) => scenario[name] === example[name] && scenario[name] !== emptyScenario[name] && !chosen.includes(name));
}

function withoutPreset(scenario: Scenario, preset: Preset): Scenario {
  return { ...withValues(scenario, presetIn(scenario, preset), emptyScenario), crdIndex: emptyScenario.crdIndex };
}

function withValues(scenario: Scenario, names: readonly (keyof Scenario)[], values: Scenario): Scenario {
  return { ...scenario, ...Object.fromEntries(names.map((name) => [name, values[name]])) };
}

/** Reports whether a scenario has another CRD than an example. The example's Go types give its CRD. */
function isOfAnother({ scenario: example }: Preset, { crd, go }: Scenario): boolean {
  return (go === "" || go !== example.go) && isOther(example.crd, crd);
}

/** Reports whether a scenario has the CRD of an example, perhaps edited. */
function isOfExample(preset: Preset, scenario: Scenario): boolean {
  return nameOf(scenario.crd) !== "" && !isOfAnother(preset, scenario);
}

/**
 * Reports whether source is another CRD than an example's: it has another name
 * throughout, or less than three quarters of the example's lines. Most CRDs have half of their
 * lines in common. Source without a name is not another CRD yet.
 */
export function isOther(example: string, crd: string): boolean {
  if (nameOf(crd) === "" || crd === example) return false;
  // While the user edits one of the names, or in an example with a wrong name, they differ.
  if (isNamedThroughout(example) && isNamedThroughout(crd) && nameOf(example) !== nameOf(crd)) return true;
  const [lines, present] = [linesOf(example), linesOf(crd)];
  return [...lines].filter((line) => present.has(line)).length < 0.75 * lines.size;
}

function linesOf(text: string): Set<string> {
  return new Set(text.split("\n").map((line) => line.trim()).filter((line) => line !== ""));
}

/** Returns the name of the first CRD in source, which has the form plural.group; empty without one. */
function nameOf(text: string): string {
  return /(?:^\s*|[{,]\s*)"?name"?:\s*["']?([a-z0-9-]+\.[a-z0-9.-]+)/m.exec(text)?.[1] ?? "";
}

/** Reports whether the name of the first CRD in source consists of its plural and its group. */
function isNamedThroughout(text: string): boolean {
  const plural = /(?:^\s*|[{,]\s*)"?plural"?:\s*["']?([a-z0-9-]+)/m.exec(text)?.[1];
  const group = /(?:^\s*|[{,]\s*)"?group"?:\s*["']?([a-z0-9.-]+)/m.exec(text)?.[1];
  return nameOf(text) === `${plural}.${group}`;
}
