import { element } from "./dom";
import type { ModuleAddress } from "./engine/download";

/** A module that the page loads on demand, such as the program of an older Kubernetes release. */
export interface SizedAddress extends ModuleAddress {
  /** The size of the module in bytes. */
  readonly size: number;
  /** Its size when compressed, in bytes. */
  readonly download: number;
}

/** The configuration in the page's JSON block, which the server writes. */
export interface Config {
  readonly engine: ModuleAddress & {
    readonly runtime: string;
    /** The modules of older Kubernetes releases, by release. */
    readonly programs?: Readonly<Record<string, SizedAddress>>;
    /** The module that generates CRDs from Go types. */
    readonly goTypes?: SizedAddress;
  };
  readonly examples: string;
  readonly evaluate: string;
  /** The prefix of the addresses for assist requests; empty without a server. */
  readonly assist: string;
  /** The address that stores scenarios for short links; empty without a store. */
  readonly share: string;
  /** The address of the service worker; otherwise empty. */
  readonly offline: string;
  /** The address of the page without a shared scenario, or empty. */
  readonly home: string;
  /** The id of the short link that opened the page, or empty. */
  readonly shared: string;
  /** The id of the example in the page, or empty. */
  readonly example: string;
  /** The older Kubernetes releases whose own libraries the server has. */
  readonly releases: readonly string[];
  /** The scenario's options; its documents are in the page. */
  readonly options: Partial<Record<string, unknown>>;
}

/** Returns the older releases whose libraries only the server has. */
export function serverReleases({ releases, engine: { programs = {} } }: Config): readonly string[] {
  return releases.filter((release) => !(release in programs));
}

export function readConfig(): Config {
  return JSON.parse(element("config", HTMLScriptElement).textContent) as Config;
}
