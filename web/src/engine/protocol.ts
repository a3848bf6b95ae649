// The messages between the page and the engine's worker.

import type { Answer, AssistResponse, AssistRequest, View } from "../api.gen";
import type { DocumentName } from "../scenario";

export type Phase = "downloading" | "compiling" | "starting";

/** The documents of a scenario; empty documents may be absent. */
export type Documents = Partial<Readonly<Record<DocumentName, string>>>;

/** A request to the engine: an evaluation or an assist request. */
export type Request =
  | { readonly type: "show"; readonly view: View }
  | { readonly type: "help"; readonly question: AssistRequest };

/** The engine's reply instead of an answer when it is at fault. */
export interface Fault {
  readonly error: string;
}

export type Reply = Answer | AssistResponse | Fault;

export type ToWorker =
  | {
      readonly type: "start";
      readonly module: string;
      readonly runtime: string;
      /** The gzip version of the module; empty if absent. */
      readonly packed: string;
    }
  | { readonly type: "ask"; readonly id: number; readonly request: Request };

export type FromWorker =
  | { readonly type: "phase"; readonly phase: Phase }
  | { readonly type: "ready" }
  | { readonly type: "reply"; readonly id: number; readonly reply: Reply }
  | { readonly type: "failed"; readonly message: string };
