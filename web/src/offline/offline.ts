import type { Config } from "../config";
import { element, write } from "../dom";
import type { ModuleAddress } from "../engine/download";
import type { Session, SessionState } from "../session";
import { registerServiceWorker } from "../trusted";
import type { Keep, OfflineMark } from "./protocol";

/** The delay of caching after the first result, in ms, because it needs processor time. */
const pause = 2000;

/** Caches a module for offline use. */
export type KeepModule = (address: ModuleAddress) => void;

/**
 * Caches the page and the loaded modules of the engine for offline use. Returns the function
 * that caches other modules, once they are loaded.
 */
export function keepOffline(config: Config, session: Session): KeepModule {
  showNetwork(session);
  // Browsers allow service workers in secure contexts only.
  if (!config.offline || !("serviceWorker" in navigator)) return () => {};
  const kept = new Set<ModuleAddress>();
  let worker: Promise<ServiceWorker | null> | undefined;
  const keep = async (address: ModuleAddress): Promise<void> => {
    worker ??= register(config.offline);
    if (kept.has(address) || address.module === "") return;
    kept.add(address);
    const absolute = (path: string): string => path && new URL(path, location.href).href;
    const message: Keep = { keep: { module: absolute(address.module), packed: absolute(address.packed) } };
    (await worker)?.postMessage(message);
  };
  const follow = ({ engine, answered, programs }: SessionState): void => {
    if (engine.at !== "page" || !answered) return;
    void keep(config.engine);
    const program = programs.at === "ready" ? config.engine.programs?.[programs.release] : undefined;
    if (program) void keep(program);
  };
  session.subscribe(follow);
  return (address) => void keep(address);
}

async function register(address: string): Promise<ServiceWorker | null> {
  await new Promise((resolve) => setTimeout(resolve, pause));
  try {
    await registerServiceWorker(address);
    return (await navigator.serviceWorker.ready).active;
  } catch {
    // The browser's settings may forbid it; the page works without it.
    return null;
  }
}

/** Reports whether there is a network and the page came from it. */
export function isOnline(): boolean {
  const mark: OfflineMark = "offline";
  const isMarked = ({ serverTiming }: PerformanceNavigationTiming): boolean => serverTiming.some(({ name }) => name === mark);
  const visits = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigator.onLine && !visits.some(isMarked);
}

function showNetwork(session: Session): void {
  const place = element("network", HTMLElement);
  const show = ({ online }: SessionState): void => {
    write(place, { textContent: online ? "" : "offline" });
  };
  show(session.state);
  session.subscribe(show);
  for (const name of ["online", "offline"]) {
    addEventListener(name, () => session.update({ online: navigator.onLine }));
  }
}
