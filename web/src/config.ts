import { element } from "./dom";

/** What the server says in the page's JSON block. */
export interface Config {
  readonly engine: { readonly module: string; readonly runtime: string };
  readonly examples: string;
  readonly evaluate: string;
  /** The id of the example in the page; empty if it is none. */
  readonly example: string;
}

export function readConfig(): Config {
  return JSON.parse(element("config", HTMLScriptElement).textContent) as Config;
}
