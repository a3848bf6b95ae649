import { type DocumentName, documentNames, emptyScenario, groupOf, isOneOf, type PanelName, panelNames, sameScenario, type Scenario, scenarioFrom } from "./scenario";
import type { Preset } from "./own";
import { type Source, sourceFrom, storedSourceOf } from "./remote/source";
import { type ConsoleState, emptyConsole, type Session } from "./session";
import { toScenario } from "./share/codec";
import { read, write } from "./local";
import { throttle } from "./throttle";

const sessionKey = "crdlab.session";
const visitKey = "crdlab.visit";

/** The part of a session that is stored for the next visit. */
export interface StoredSession {
  readonly scenario: Scenario;
  /** The example that the documents began with, if any. */
  readonly example: Preset | undefined;
  readonly document: DocumentName;
  /** The document in the other pane. */
  readonly beside: DocumentName;
  /** The empty documents that have a tab. */
  readonly opened: readonly DocumentName[];
  readonly panel: PanelName;
  readonly console: ConsoleState;
  /** The address that documents were fetched from, until they are edited. */
  readonly source: Source;
  /** The mark of the visit that stored the session. */
  readonly visit: string;
}

export function storedSession(): StoredSession | undefined {
  return parseSession(read(sessionKey));
}

/** Reports whether this visit stored the session, perhaps before a reload. */
export function continuesVisit(stored: StoredSession | undefined): stored is StoredSession {
  return stored !== undefined && stored.visit !== "" && stored.visit === currentVisit();
}

/**
 * Begins a visit, unless a reload continues the last one. The tab's storage keeps its
 * mark: while a reload starts, Chromium drops changes of the address and of the history.
 */
export function beginVisit(isReload: boolean): void {
  if (isReload && currentVisit() !== "") return;
  try {
    sessionStorage.setItem(visitKey, crypto.getRandomValues(new Uint32Array(4)).join("-"));
  } catch {
    // Without storage, a reload opens the address again.
  }
}

function currentVisit(): string {
  try {
    return sessionStorage.getItem(visitKey) ?? "";
  } catch {
    return "";
  }
}

export function parseSession(text: string | null): StoredSession | undefined {
  try {
    const value = JSON.parse(text ?? "null") as Partial<Record<string, unknown>> | null;
    if (!value) return undefined;
    const { opened, panel, console, source, visit } = value;
    const document = isOneOf(documentNames, value["document"]) ? value["document"] : "object";
    const others = documentNames.filter((name) => groupOf(name) !== groupOf(document));
    const scenario = toScenario(value["scenario"]);
    return {
      scenario,
      example: exampleFrom(value["example"]),
      document,
      beside: isOneOf(others, value["beside"]) ? value["beside"] : (others[0] ?? "crd"),
      opened: documentNames.filter((name) => Array.isArray(opened) && opened.includes(name)),
      panel: isOneOf(panelNames, panel) ? panel : "outcome",
      console: consoleFrom(console),
      source: sourceFrom(source, scenario),
      visit: typeof visit === "string" ? visit : "",
    };
  } catch {
    return undefined;
  }
}

function exampleFrom(value: unknown): Preset | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { scenario, chosen, aside } = value as Partial<Record<keyof Preset, unknown>>;
  if (typeof scenario !== "object" || scenario === null) return undefined;
  const left = Array.isArray(aside) ? { aside: fieldsFrom(aside) } : {};
  return { scenario: scenarioFrom(scenario), chosen: fieldsFrom(chosen), ...left };
}

function fieldsFrom(value: unknown): readonly (keyof Scenario)[] {
  return (Object.keys(emptyScenario) as (keyof Scenario)[]).filter((name) => Array.isArray(value) && value.includes(name));
}

function consoleFrom(value: unknown): ConsoleState {
  if (typeof value !== "object" || value === null) return emptyConsole;
  const { expression, object, path, isOpen } = value as Partial<Record<keyof ConsoleState, unknown>>;
  return {
    expression: typeof expression === "string" ? expression : "",
    object: Number.isSafeInteger(object) ? Math.max(0, Number(object)) : 0,
    path: typeof path === "string" ? path : "",
    isOpen: isOpen === true,
  };
}

/**
 * Stores the session after each change. Calls replaced with the scenario of another session
 * that the first change overwrites.
 */
export function keepSession(session: Session, replaced: (scenario: Scenario) => void): void {
  const { scenario: initial } = session.state;
  let isOwn = false;
  const save = (): void => {
    const other = isOwn ? undefined : storedSession();
    isOwn = true;
    if (other && !sameScenario(other.scenario, initial)) replaced(other.scenario);
    const { scenario, example, document, beside, opened, panel, console } = session.state;
    const source = storedSourceOf(session.state);
    write(sessionKey, JSON.stringify({ scenario, example, document, beside, opened, panel, console, source, visit: currentVisit() }));
  };
  const soon = throttle(1000, save);
  let changed = false;
  session.subscribe((state, previous) => {
    if (
      state.scenario !== previous.scenario ||
      state.document !== previous.document ||
      state.opened !== previous.opened ||
      state.panel !== previous.panel ||
      state.source !== previous.source ||
      state.console !== previous.console
    ) {
      changed = true;
      soon();
    }
  });
  addEventListener("pagehide", () => {
    // The listener learns of the last character after a frame.
    if (changed || session.state.scenario !== initial) save();
  });
}
