import { element } from "./dom";
import type { ModuleAddress } from "./engine/download";

/** What the server says in the page's JSON block. */
export interface Config {
  readonly engine: {
    /** The module that answers most scenarios; the whole one, those that need more. */
    readonly first: ModuleAddress;
    readonly whole: ModuleAddress;
    readonly runtime: string;
  };
  readonly examples: string;
  readonly evaluate: string;
  /** What the addresses begin with that help with writing; empty if none does. */
  readonly help: string;
  /** The address that keeps scenarios for short links; empty if none does. */
  readonly share: string;
  /** The address of the service worker; empty if there is none. */
  readonly offline: string;
  /** The address of the page without a shared scenario; empty if it is this. */
  readonly home: string;
  /** The id of the short link that the page was opened by; empty if none. */
  readonly shared: string;
  /** The id of the example in the page; empty if it is none. */
  readonly example: string;
  /** What of the scenario in the page is not a text. */
  readonly options: Partial<Record<string, unknown>>;
}

export function readConfig(): Config {
  return JSON.parse(element("config", HTMLScriptElement).textContent) as Config;
}
