// The messages between the page and the engine's worker.

import type { Answer, AssistResponse, AssistRequest, View } from "../api.gen";
import type { DocumentName } from "../scenario";

export type Phase = "downloading" | "compiling" | "starting";

/** The judgments of older releases on a scenario, as JSON, by release. */
export type Judgments = Readonly<Record<string, string>>;

/** The documents of a scenario; empty documents may be absent. */
export type Documents = Partial<Readonly<Record<DocumentName, string>>>;

/**
 * A request to the engine: an evaluation, a request for judgments, or an assist request; or
 * to the module of an older release: a judgment.
 */
export type Request =
  | { readonly type: "show"; readonly view: View; readonly judgments?: Judgments | undefined }
  | { readonly type: "request"; readonly view: View }
  | { readonly type: "judge"; readonly request: string }
  | { readonly type: "assist"; readonly request: AssistRequest };

/** The engine's reply instead of an answer when it is at fault. */
export interface Fault {
  readonly error: string;
}

/** Requests for judgments and judgments are strings, as JSON. */
export type Reply = Answer | AssistResponse | Fault | string;

export type ToWorker =
  | {
      readonly type: "start";
      readonly module: string;
      readonly runtime: string;
      /** The gzip version of the module; empty if absent. */
      readonly packed: string;
      /** The size of the module in bytes, for reports about the download; 0: no reports. */
      readonly size: number;
    }
  | { readonly type: "ask"; readonly id: number; readonly request: Request }
  /** The page became visible or hidden, or the battery low. */
  | { readonly type: "repetitions"; readonly arePermitted: boolean };

export type FromWorker =
  | { readonly type: "phase"; readonly phase: Phase }
  /** The downloaded part of the module, 0 to 1. */
  | { readonly type: "progress"; readonly part: number }
  | { readonly type: "ready" }
  /** memory is the size of the module's memory in bytes, for measurements. */
  | { readonly type: "reply"; readonly id: number; readonly reply: Reply; readonly memory: number }
  | { readonly type: "failed"; readonly message: string; readonly outOfMemory: boolean };
