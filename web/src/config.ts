import { element } from "./dom";

/** What the server says in the page's JSON block. */
export interface Config {
  readonly engine: {
    readonly module: string;
    readonly runtime: string;
    /** The module as gzip, for hosts that do not compress; empty if none. */
    readonly packed: string;
  };
  readonly examples: string;
  readonly evaluate: string;
  /** The address that keeps scenarios for short links; empty if none does. */
  readonly share: string;
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
