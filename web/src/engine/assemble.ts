import { type Config, serverReleases } from "../config";
import type { AssistRequest, View } from "../api.gen";
import type { Scenario } from "../scenario";
import type { Session } from "../session";
import { Engine, type InPage, viewOf } from "./engine";
import { started } from "./started";
import { type Assist, Assistant } from "./assistant";
import { evaluateByHTTP, assistByHTTP } from "./http-client";
import { GoTypes, type GoTypesState } from "./gotypes";
import { loadOnDemand } from "./load";
import { Programs } from "./programs";
import { timeFor, totalTime } from "./allowance";

const serverTimeout = 60_000;

export interface Assembled {
  readonly engine: Engine;
  readonly assistant: Assistant;
  /** The modules of older releases; undefined if the page has no such modules. */
  readonly programs: Programs | undefined;
}

/**
 * Builds the engine and reports its state to the session. holds reports whether the
 * server has a scenario already.
 */
export function assembleEngine(config: Config, session: Session, holds: (scenario: Scenario) => boolean): Assembled {
  const page = inPage(session);
  const programs = page && programsInPage(config, session, page);
  const engine = new Engine({
    inPage: page,
    ...(programs && { programs }),
    onServer: config.evaluate
      ? {
          evaluate: (view) => evaluateByHTTP(config.evaluate, view, serverTimeout),
          holds,
          isAllowed: () => session.state.permission === "granted",
          releases: serverReleases(config),
        }
      : undefined,
    onState: (state) => session.update({ engine: state }),
  });
  session.subscribe(({ permission }, previous) => {
    if (permission !== previous.permission) engine.permissionChanged();
  });
  const assistant = new Assistant((request) => engineFor(config, session, page, request));
  return { engine, assistant, programs };
}

/** Chooses the evaluating engine for assist requests. */
function engineFor({ assist }: Config, session: Session, page: Page | undefined, request: AssistRequest): Assist | undefined {
  const { engine: { at }, permission } = session.state;
  if (page && !("generate" in request) && (at === "page" || at === "loading")) return page.assist;
  if (at === "withheld" && permission === "undecided" && isExplicit(request)) session.update({ question: true });
  return assist && at === "server" ? (request) => assistByHTTP(assist, request, serverTimeout) : undefined;
}

/** Reports whether the user requests the result with a button or in the console. */
function isExplicit(request: AssistRequest): boolean {
  return "sample" in request || "template" in request || "format" in request || "try" in request || "insert" in request || "export" in request || "publish" in request || "generate" in request;
}

/** Binds the modules of older releases to the session. The chosen release's is loaded. */
function programsInPage({ engine: { programs: modules = {}, runtime } }: Config, session: Session, page: Page): Programs | undefined {
  if (Object.keys(modules).length === 0) return undefined;
  const programs = new Programs({
    modules,
    load: (module, onPart) => loadOnDemand(module, runtime, onPart),
    request: (scenario) => page.request(viewOf({ scenario, panels: [], preliminary: false }), timeFor(scenario, true)),
    onState: (state) => session.update({ programs: state }),
  });
  session.subscribe(({ scenario, engine, answer }, previous) => {
    if (scenario !== previous.scenario) programs.cancelAll();
    // The engine and its first result come first.
    if (engine.at === "page" && answer) programs.choose(scenario.kubernetes);
    else if (engine.at !== "page" && engine.at !== "loading") programs.end();
  });
  return programs;
}

/** Creates the generator of CRDs; undefined if the page has no such module. */
export function assembleGoTypes({ engine: { goTypes, runtime } }: Config, onState: (state: GoTypesState) => void): GoTypes | undefined {
  if (!goTypes || typeof WebAssembly !== "object") return undefined;
  return new GoTypes({ load: (onPart) => loadOnDemand(goTypes, runtime, onPart), onState });
}

interface Page extends InPage {
  readonly assist: Assist;
  /** Returns the request for the judgments of older releases. */
  readonly request: (view: View, patience: number) => Promise<string>;
}

function inPage(session: Session): Page | undefined {
  const client = started;
  if (!client) return undefined;
  client.watch((phase) => session.update({ engine: phase === "ready" ? { at: "page" } : { at: "loading", phase } }));
  return {
    evaluate: (view, patience, judgments) => client.evaluate(view, patience, judgments),
    request: (view, patience) => client.request(view, patience),
    assist: (request) => client.assist(request, totalTime),
  };
}
