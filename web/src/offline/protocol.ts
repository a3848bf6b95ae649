import type { ModuleAddress } from "../engine/download";

/** The build's description of the site; paths are relative to the worker's scope. */
export interface Site {
  /** Equal for equal files. */
  readonly version: string;
  /** The page's files, except for the engine's modules. */
  readonly files: readonly string[];
  readonly modules: readonly string[];
  /** The page's script, which identifies its version. */
  readonly script: string;
}

/** The server timing entry of a page from the cache. */
export type OfflineMark = "offline";

/** Requests the caching of a module of the engine; its addresses are absolute. */
export interface Keep {
  readonly keep: ModuleAddress;
}
