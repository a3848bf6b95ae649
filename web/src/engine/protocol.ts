// The messages between the page and the engine's worker.

export type Phase = "downloading" | "compiling" | "starting";

export type ToWorker =
  | {
      readonly type: "start";
      readonly module: string;
      readonly runtime: string;
      /** The module as gzip; empty if there is none. */
      readonly packed: string;
    }
  | { readonly type: "evaluate"; readonly id: number; readonly scenario: string };

export type FromWorker =
  | { readonly type: "phase"; readonly phase: Phase }
  | { readonly type: "ready" }
  | { readonly type: "answer"; readonly id: number; readonly answer: string }
  | { readonly type: "failed"; readonly message: string };
