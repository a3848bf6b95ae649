import { type DocumentName, documentNames, isOneOf, type PanelName, panelNames, type Scenario } from "./scenario";
import { type Source, sourceFrom, storedSourceOf } from "./remote/source";
import { type ConsoleState, emptyConsole, type Session } from "./session";
import { toScenario } from "./share/codec";
import { throttle } from "./throttle";

const sessionKey = "crdlab.session";

/** What is kept of a session for the next visit. */
export interface StoredSession {
  readonly scenario: Scenario;
  readonly document: DocumentName;
  /** The documents that have a tab although they are empty. */
  readonly opened: readonly DocumentName[];
  readonly panel: PanelName;
  readonly console: ConsoleState;
  /** The address that documents were fetched from, until they are edited. */
  readonly source: Source;
  /** The page's address then, which may be behind what was typed. */
  readonly address: string;
}

/** Reads a value; without storage there is none. */
export function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Writes a value, as long as the browser allows and has room. */
export function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // What is typed stays in the page; it is not remembered, that is all.
  }
}

export function storedSession(): StoredSession | undefined {
  return parseSession(read(sessionKey));
}

export function parseSession(text: string | null): StoredSession | undefined {
  try {
    const value = JSON.parse(text ?? "null") as Partial<Record<string, unknown>> | null;
    if (!value) return undefined;
    const { document, opened, panel, console, source, address } = value;
    const scenario = toScenario(value["scenario"]);
    return {
      scenario,
      document: isOneOf(documentNames, document) ? document : "object",
      opened: documentNames.filter((name) => Array.isArray(opened) && opened.includes(name)),
      panel: isOneOf(panelNames, panel) ? panel : "outcome",
      console: consoleFrom(console),
      source: sourceFrom(source, scenario),
      address: typeof address === "string" ? address : "",
    };
  } catch {
    return undefined;
  }
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

/** Remembers the session for the next visit, once something changed. */
export function keepSession(session: Session): void {
  const save = (): void => {
    const { scenario, document, opened, panel, console } = session.state;
    const { href: address } = location;
    const source = storedSourceOf(session.state);
    write(sessionKey, JSON.stringify({ scenario, document, opened, panel, console, source, address }));
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
    if (changed) save();
  });
}
