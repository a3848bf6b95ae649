import type { Answer, Cursor, AssistResponse, AssistRequest, View } from "../api.gen";
import { documentNames, isOneOf, type Scenario } from "../scenario";
import { compile, download, type ModuleAddress } from "./download";
import type { Documents, Fault, FromWorker, Reply, Request, ToWorker } from "./protocol";
import { WarmUp } from "./warm-up";

/** The part of Go's wasm_exec.js that is used here. */
interface GoRuntime {
  readonly importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** An answer as JSON, without its panels, which come separately. */
interface Shown {
  readonly answer: string;
  readonly panels: Answer["panels"];
}

interface WorkerScope {
  postMessage(message: FromWorker): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  Go: new () => GoRuntime;
  /** Evaluates a view, given as JSON without its documents. The module sets it. */
  crdlabShow?: (view: string, documents: Documents) => Shown | Fault;
  /** Handles an assist request, likewise; the answer is JSON. */
  crdlabHelp?: (question: string, documents: Documents) => string;
  /** The module calls it when it is ready. */
  crdlabReady?: () => void;
}

const scope = globalThis as unknown as WorkerScope;
const post = (message: FromWorker): void => scope.postMessage(message);

async function load(address: ModuleAddress): Promise<WebAssembly.Module> {
  post({ type: "phase", phase: "downloading" });
  const response = await download(address);
  post({ type: "phase", phase: "compiling" });
  return compile(response);
}

async function start(address: ModuleAddress, runtime: string): Promise<void> {
  const compiled = load(address);
  await Promise.all([import(/* @vite-ignore */ runtime), compiled]);
  post({ type: "phase", phase: "starting" });
  const go = new scope.Go();
  const instance = await WebAssembly.instantiate(await compiled, go.importObject);
  scope.crdlabReady = () => post({ type: "ready" });
  await go.run(instance);
  throw new Error("the engine ended");
}

const warmUp = new WarmUp((view) => void show(view));

function reply(request: Request): Reply {
  return request.type === "show" ? show(request.view) : help(request.question);
}

function show(view: View): Answer | Fault {
  if (!scope.crdlabShow) throw new Error("the engine is not ready");
  const { documents, options } = split(view.scenario);
  const shown = scope.crdlabShow(JSON.stringify({ ...view, scenario: options }), documents);
  if ("error" in shown) return shown;
  return { ...(JSON.parse(shown.answer) as Answer), panels: shown.panels };
}

function help(question: AssistRequest): AssistResponse {
  if (!scope.crdlabHelp) throw new Error("the engine is not ready");
  const { asked, documents } = withoutTexts(question);
  return JSON.parse(scope.crdlabHelp(JSON.stringify(asked), documents)) as AssistResponse;
}

function withoutTexts(question: AssistRequest): { asked: object; documents: Documents } {
  const [[kind, cursor] = ["", undefined]] = Object.entries(question) as [string, Partial<Cursor>][];
  if (!cursor?.scenario) return { asked: question, documents: {} };
  const { documents, options } = split(cursor.scenario);
  return { asked: { [kind]: { ...cursor, scenario: options } }, documents };
}

/** Separates a scenario's documents from its options. */
function split(scenario: Partial<Scenario>): { documents: Documents; options: object } {
  const isText = ([name]: [string, unknown]): boolean => isOneOf(documentNames, name);
  const fields = Object.entries(scenario);
  return {
    documents: Object.fromEntries(fields.filter(isText)),
    options: Object.fromEntries(fields.filter((field) => !isText(field))),
  };
}

function fail(error: unknown): void {
  post({ type: "failed", message: error instanceof Error ? error.message : String(error) });
}

scope.onmessage = ({ data }) => {
  if (data.type === "start") {
    start(data, data.runtime).catch(fail);
    return;
  }
  warmUp.stop();
  const asked = performance.now();
  try {
    post({ type: "reply", id: data.id, reply: reply(data.request) });
    if (data.request.type === "show") warmUp.follow(data.request.view, performance.now() - asked);
  } catch (error) {
    fail(error);
  }
};
