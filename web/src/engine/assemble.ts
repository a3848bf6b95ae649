import type { Config } from "../config";
import type { Session } from "../session";
import { Engine, type Evaluate } from "./engine";
import { evaluateByHTTP } from "./http-client";
import { WorkerClient } from "./worker-client";

/**
 * How long an evaluation may take, in ms: some ten times what the largest CRDs
 * of real projects take on a slow machine.
 */
const evaluationTimeout = (scenario: string): number => 10_000 + scenario.length / 100;
const serverTimeout = 60_000;
/** A first visit over a slow line downloads several megabytes. */
const startTimeout = 180_000;

/** Puts the engine together, starts it, and keeps the session informed. */
export function assembleEngine(config: Config, session: Session): Engine {
  return new Engine({
    inPage: inPage(config, session),
    onServer: config.evaluate
      ? (scenario) => evaluateByHTTP(config.evaluate, scenario, serverTimeout)
      : undefined,
    onState: (engine) => session.update({ engine }),
  });
}

function inPage({ engine }: Config, session: Session): Evaluate | undefined {
  if (!engine.module || typeof WebAssembly !== "object") return undefined;
  const client = new WorkerClient({
    spawn: () =>
      new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "crdlab" }),
    module: new URL(engine.module, location.href).href,
    runtime: new URL(engine.runtime, location.href).href,
    packed: engine.packed && new URL(engine.packed, location.href).href,
    evaluationTimeout,
    startTimeout,
    onPhase: (phase) =>
      session.update({ engine: phase === "ready" ? { at: "page" } : { at: "loading", phase } }),
  });
  void client.start();
  return (scenario) => client.evaluate(scenario);
}
