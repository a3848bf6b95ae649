import { element } from "./dom";
import type { ModuleAddress } from "./engine/download";

/** The configuration in the page's JSON block, which the server writes. */
export interface Config {
  readonly engine: {
    /** The core module evaluates most scenarios; the full module evaluates the rest. */
    readonly first: ModuleAddress;
    readonly whole: ModuleAddress;
    readonly runtime: string;
  };
  readonly examples: string;
  readonly evaluate: string;
  /** The prefix of the addresses for assist requests; empty without a server. */
  readonly help: string;
  /** The address that stores scenarios for short links; empty without a store. */
  readonly share: string;
  /** The address of the service worker; empty if there is none. */
  readonly offline: string;
  /** The address of the page without a shared scenario; empty if this page has none. */
  readonly home: string;
  /** The id of the short link that opened the page, or empty. */
  readonly shared: string;
  /** The id of the example in the page, or empty. */
  readonly example: string;
  /** The scenario's options; its documents are in the page. */
  readonly options: Partial<Record<string, unknown>>;
}

export function readConfig(): Config {
  return JSON.parse(element("config", HTMLScriptElement).textContent) as Config;
}
