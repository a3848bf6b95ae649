import type { StopReason } from "./worker-client";

/** Describes why an evaluation was stopped, in one sentence. */
export function stopSentence({ reason, seconds }: { readonly reason: StopReason; readonly seconds: number }): string {
  switch (reason) {
    case "time":
      return `The evaluation was stopped after ${seconds} s.`;
    case "memory":
      return "The evaluation was stopped because it needed more than 1 GiB of memory.";
    case "crash":
      return "The evaluation was stopped because the engine crashed.";
  }
}
