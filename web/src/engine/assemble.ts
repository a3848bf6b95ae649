import type { Config } from "../config";
import type { Session } from "../session";
import type { ModuleAddress } from "./download";
import { Engine, type InPage } from "./engine";
import { type Ask, Help } from "./help";
import { evaluateByHTTP, helpByHTTP } from "./http-client";
import type { Phase } from "./protocol";
import { WorkerClient } from "./worker-client";

/**
 * How long an evaluation may take, in ms: some ten times what the largest CRDs
 * of real projects take on a slow machine.
 */
const evaluationTimeout = (scenario: string): number => 10_000 + scenario.length / 100;
const serverTimeout = 60_000;
/** A first visit over a slow line downloads several megabytes. */
const startTimeout = 180_000;

export interface Assembled {
  readonly engine: Engine;
  readonly help: Help;
}

/** Puts the engine together, starts it, and keeps the session informed. */
export function assembleEngine(config: Config, session: Session): Assembled {
  const page = inPage(config, session);
  const engine = new Engine({
    inPage: page,
    onServer: config.evaluate
      ? (scenario) => evaluateByHTTP(config.evaluate, scenario, serverTimeout)
      : undefined,
    onState: (state) => session.update({ engine: state }),
    onIncomplete: (because) =>
      session.update({ notice: `The rest of the engine could not be loaded: ${because}. Change the scenario to try again.` }),
  });
  const help = new Help({ engine: () => helper(config, session, page), onMissing: () => engine.completePage() });
  return { engine, help };
}

/** Who helps with writing: the engine that also evaluates. */
function helper({ help }: Config, session: Session, page: Helpful | undefined): Ask | undefined {
  const { at } = session.state.engine;
  if (page && (at === "page" || at === "loading")) return page.help;
  return help ? (question) => helpByHTTP(help, question, serverTimeout) : undefined;
}

interface Helpful extends InPage {
  readonly help: Ask;
}

function inPage({ engine }: Config, session: Session): Helpful | undefined {
  if (!engine.first.module || typeof WebAssembly !== "object") return undefined;
  const load = (address: ModuleAddress, onPhase: (phase: Phase | "ready") => void): WorkerClient =>
    new WorkerClient({
      spawn: () =>
        new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "crdlab" }),
      module: new URL(address.module, location.href).href,
      packed: address.packed && new URL(address.packed, location.href).href,
      runtime: new URL(engine.runtime, location.href).href,
      evaluationTimeout,
      startTimeout,
      onPhase,
    });
  const first = load(engine.first, (phase) =>
    session.update({ engine: phase === "ready" ? { at: "page", whole: false } : { at: "loading", phase } }),
  );
  let client = first;
  void first.start();
  return {
    evaluate: (scenario) => client.evaluate(scenario),
    help: (question) => client.help(question),
    complete: async () => {
      const whole = load(engine.whole, () => {});
      await whole.start();
      client = whole;
      first.end();
    },
  };
}
