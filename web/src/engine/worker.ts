import type { Answer, Cursor, AssistResponse, AssistRequest, View } from "../api.gen";
import { documentNames, isOneOf, type Scenario } from "../scenario";
import { compile, counted, download, type ModuleAddress } from "./download";
import type { Documents, Fault, FromWorker, Judgments, Reply, Request, ToWorker } from "./protocol";
import { LastWords } from "./last-words";
import { WarmUp } from "./warm-up";

/** The part of Go's wasm_exec.js and wasm/resume.js that is used here. */
interface GoRuntime {
  exit: (code: number) => void;
  /** Starts or continues a module until it is ready. */
  start(module: WebAssembly.Module): Promise<{ memory: WebAssembly.Memory; ended: Promise<void> }>;
}

/** An answer as JSON, without its panels, which come separately. */
interface Shown {
  readonly answer: string;
  readonly panels: Answer["panels"];
}

/** The idle time in ms before the engine collects garbage, longer than a pause in typing. */
const restAfter = 600;

/** The largest answer that is shown, in characters. More would block the page. */
const maxAnswer = 16 << 20;

interface WorkerScope {
  postMessage(message: FromWorker): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  Go: new () => GoRuntime;
  /** The part of Node's fs that wasm_exec.js emulates. */
  fs: { writeSync: (file: number, bytes: Uint8Array) => number };
  /**
   * Evaluates a view, given as JSON without its documents. The module sets it. The
   * result is undefined if the engine ends.
   */
  crdlabShow?: (view: string, documents: Documents, judgments?: Judgments) => Shown | Fault | undefined;
  /** Returns the request for the judgments on a view as JSON. */
  crdlabRequest?: (view: string, documents: Documents) => string | undefined;
  /** Judges a request, both as JSON. Only the modules of older releases set it. */
  crdlabJudge?: (request: string) => Promise<string>;
  /** Responds to an assist request, likewise, with JSON. */
  crdlabAssist?: (request: string, documents: Documents) => string | undefined;
  /** Collects garbage. */
  crdlabRest?: () => void;
}

const scope = globalThis as unknown as WorkerScope;
const post = (message: FromWorker): void => scope.postMessage(message);
/** The module's memory, once it is loaded. */
let memory: WebAssembly.Memory | undefined;
/** The end of the engine's log, which contains the reason of a crash. */
const lastWords = new LastWords();

async function load(address: ModuleAddress, size: number): Promise<WebAssembly.Module> {
  post({ type: "phase", phase: "downloading" });
  const response = await download(address);
  post({ type: "phase", phase: "compiling" });
  return compile(size === 0 ? response : counted(response, size, (part) => post({ type: "progress", part })));
}

async function start(address: ModuleAddress, runtime: string, size: number): Promise<void> {
  const compiled = load(address, size);
  await Promise.all([import(/* @vite-ignore */ runtime), compiled]);
  post({ type: "phase", phase: "starting" });
  scope.fs.writeSync = (_, bytes) => lastWords.add(bytes);
  const go = new scope.Go();
  // fail reports the exit; the default prints its code to the console.
  go.exit = () => {};
  const started = await go.start(await compiled);
  memory = started.memory;
  post({ type: "ready" });
  await started.ended;
  throw new Error("the engine ended");
}

const warmUp = new WarmUp((view) => void show(view));
let resting: ReturnType<typeof setTimeout> | undefined;

function restLater(): void {
  clearTimeout(resting);
  resting = setTimeout(() => scope.crdlabRest?.(), restAfter);
}

function reply(request: Exclude<Request, { type: "judge" }>): Reply {
  switch (request.type) {
    case "show":
      return show(request.view, request.judgments);
    case "request":
      return requestOf(request.view);
    case "assist":
      return assist(request.request);
  }
}

function requestOf(view: View): string {
  if (!scope.crdlabRequest) throw new Error("the engine is not ready");
  const { documents, options } = split(view.scenario);
  const request = scope.crdlabRequest(JSON.stringify({ ...view, scenario: options }), documents);
  if (request === undefined) throw new Error("the engine ended");
  return request;
}

function show(view: View, judgments?: Judgments): Answer | Fault {
  if (!scope.crdlabShow) throw new Error("the engine is not ready");
  const { documents, options } = split(view.scenario);
  const shown = scope.crdlabShow(JSON.stringify({ ...view, scenario: options }), documents, judgments);
  if (!shown) throw new Error("the engine ended");
  if ("error" in shown) return shown;
  const size = Object.values(shown.panels).reduce((sum, html) => sum + html.length, shown.answer.length);
  if (size > maxAnswer) return { error: `The result has ${size >> 20} MiB. The page can show ${maxAnswer >> 20} MiB.` };
  return { ...(JSON.parse(shown.answer) as Answer), panels: shown.panels };
}

function assist(request: AssistRequest): AssistResponse {
  if (!scope.crdlabAssist) throw new Error("the engine is not ready");
  const { options, documents } = withoutTexts(request);
  const response = scope.crdlabAssist(JSON.stringify(options), documents);
  if (response === undefined) throw new Error("the engine ended");
  return JSON.parse(response) as AssistResponse;
}

function withoutTexts(request: AssistRequest): { options: object; documents: Documents } {
  const [[kind, cursor] = ["", undefined]] = Object.entries(request) as [string, Partial<Cursor>][];
  if (!cursor?.scenario) return { options: request, documents: {} };
  const { documents, options } = split(cursor.scenario);
  return { options: { [kind]: { ...cursor, scenario: options } }, documents };
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
  const message = error instanceof Error ? error.message : String(error);
  post({ type: "failed", message, outOfMemory: lastWords.areOutOfMemory() });
}

/** Replies with a judgment. If the module ends, start reports it. */
async function judge(id: number, request: string): Promise<void> {
  const judgment = await scope.crdlabJudge?.(request);
  post({ type: "reply", id, reply: judgment ?? "", memory: memory?.buffer.byteLength ?? 0 });
}

scope.onmessage = ({ data }) => {
  if (data.type === "start") {
    start(data, data.runtime, data.size).catch(fail);
    return;
  }
  if (data.type === "repetitions") {
    warmUp.permit(data.arePermitted);
    return;
  }
  if (data.request.type === "judge") {
    void judge(data.id, data.request.request);
    return;
  }
  warmUp.stop();
  try {
    post({ type: "reply", id: data.id, reply: reply(data.request), memory: memory?.buffer.byteLength ?? 0 });
    if (data.request.type === "show") warmUp.follow(data.request.view);
    restLater();
  } catch (error) {
    fail(error);
  }
};
