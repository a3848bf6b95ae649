import { compile, download, type ModuleAddress } from "./download";
import type { FromWorker, Task, ToWorker } from "./protocol";

/** What Go's wasm_exec.js defines, as far as it is used here. */
interface GoRuntime {
  readonly importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

interface WorkerScope {
  postMessage(message: FromWorker): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  Go: new () => GoRuntime;
  /** Answers a scenario, both as JSON. The module sets it once it runs. */
  crdlabEvaluate?: (scenario: string) => string;
  /** Answers a question of somebody who writes, likewise. */
  crdlabHelp?: (question: string) => string;
  /** The module calls it when it can be asked. */
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

function answer(task: Task, id: number, request: string): void {
  const serve = task === "evaluate" ? scope.crdlabEvaluate : scope.crdlabHelp;
  if (!serve) throw new Error("the engine is not ready");
  post({ type: "answer", id, answer: serve(request) });
}

function fail(error: unknown): void {
  post({ type: "failed", message: error instanceof Error ? error.message : String(error) });
}

scope.onmessage = ({ data }) => {
  if (data.type === "start") {
    start(data, data.runtime).catch(fail);
    return;
  }
  try {
    answer(data.type, data.id, data.request);
  } catch (error) {
    fail(error);
  }
};
