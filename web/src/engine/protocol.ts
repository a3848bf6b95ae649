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
  | { readonly type: Task; readonly id: number; readonly request: string };

/** What the engine can be asked: to judge a scenario, or to help with writing. */
export type Task = "evaluate" | "help";

export type FromWorker =
  | { readonly type: "phase"; readonly phase: Phase }
  | { readonly type: "ready" }
  | { readonly type: "answer"; readonly id: number; readonly answer: string }
  | { readonly type: "failed"; readonly message: string };
