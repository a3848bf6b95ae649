import type { Config } from "../config";
import type { View } from "../api.gen";
import type { Session } from "../session";
import { Engine, type InPage } from "./engine";
import { first } from "./first";
import { type Ask, Assistant } from "./assistant";
import { evaluateByHTTP, helpByHTTP } from "./http-client";
import { load } from "./load";
import type { WorkerClient } from "./worker-client";

const serverTimeout = 60_000;

export interface Assembled {
  readonly engine: Engine;
  readonly help: Assistant;
}

/** Builds the engine and reports its state to the session. */
export function assembleEngine(config: Config, session: Session): Assembled {
  const page = inPage(config, session);
  const engine = new Engine({
    inPage: page,
    onServer: config.evaluate
      ? (view) => evaluateByHTTP(config.evaluate, view, serverTimeout)
      : undefined,
    onState: (state) => session.update({ engine: state }),
    onIncomplete: (because) =>
      session.update({ notice: `The rest of the engine could not be loaded: ${because}. Change the scenario to try again.` }),
  });
  const help = new Assistant({ engine: () => helper(config, session, page), complete: () => engine.completePage() });
  return { engine, help };
}

/** Chooses the engine for assist requests: the one that evaluates. */
function helper({ help }: Config, session: Session, page: Helpful | undefined): Ask | undefined {
  const { at } = session.state.engine;
  if (page && (at === "page" || at === "loading")) return page.help;
  return help ? (question) => helpByHTTP(help, question, serverTimeout) : undefined;
}

interface Helpful extends InPage {
  readonly help: Ask;
}

function inPage({ engine }: Config, session: Session): Helpful | undefined {
  if (!first) return undefined;
  let client = first;
  client.watch((phase) =>
    session.update({ engine: phase === "ready" ? { at: "page", whole: false } : { at: "loading", phase } }),
  );
  return {
    evaluate: (view) => client.evaluate(view),
    help: (question) => client.help(question),
    complete: async (view) => {
      const whole = load(engine.whole, engine.runtime);
      await whole.start();
      if (view) await preload(whole, view);
      client.end();
      client = whole;
    },
  };
}

/** Loads the CRD into a new worker while the old worker still replies. */
async function preload(client: WorkerClient, view: View): Promise<void> {
  try {
    await client.evaluate(view);
  } catch {
    // The next request for the same view reports the error.
  }
}
