// The messages between the page and the engine's worker.

import type { Answer, Help, Question, View } from "../api";
import type { DocumentName } from "../scenario";

export type Phase = "downloading" | "compiling" | "starting";

/** The texts of a scenario; those that are empty may be left out. */
export type Documents = Partial<Readonly<Record<DocumentName, string>>>;

/** What the engine can be asked: to judge a scenario, or to help with writing. */
export type Request =
  | { readonly type: "show"; readonly view: View }
  | { readonly type: "help"; readonly question: Question };

/** The engine's reply instead of an answer when it is at fault. */
export interface Fault {
  readonly error: string;
}

export type Reply = Answer | Help | Fault;

export type ToWorker =
  | {
      readonly type: "start";
      readonly module: string;
      readonly runtime: string;
      /** The module as gzip; empty if there is none. */
      readonly packed: string;
    }
  | { readonly type: "ask"; readonly id: number; readonly request: Request };

export type FromWorker =
  | { readonly type: "phase"; readonly phase: Phase }
  | { readonly type: "ready" }
  | { readonly type: "reply"; readonly id: number; readonly reply: Reply }
  | { readonly type: "failed"; readonly message: string };
