import type { ModuleAddress } from "../engine/download";

/** What the build tells the service worker; paths are below its scope. */
export interface Site {
  /** The same for pages of the same files. */
  readonly version: string;
  /** What the page loads, but for the engine's modules. */
  readonly files: readonly string[];
  readonly modules: readonly string[];
  /** The page's script, by which its version is told. */
  readonly script: string;
}

/** The server timing of a page that does not come from the network. */
export type OfflineMark = "offline";

/** Asks the service worker to keep a module of the engine; its addresses are absolute. */
export interface Keep {
  readonly keep: ModuleAddress;
}
