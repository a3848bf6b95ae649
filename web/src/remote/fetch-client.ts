import { startWorker } from "../trusted";
import { Unfetched } from "./fetch";
import script from "./fetcher?worker&url";

/** The worker's reply. */
export type Fetched = { readonly text: string } | { readonly problem: string };

/** Fetches a document in a worker, which an abort terminates. */
export async function fetchInWorker(address: URL, abandoned: AbortSignal): Promise<string> {
  abandoned.throwIfAborted();
  const worker = startWorker(script, "crdlab fetcher");
  try {
    const fetched = await replyOf(worker, address, abandoned);
    if ("problem" in fetched) throw new Unfetched(fetched.problem);
    return fetched.text;
  } finally {
    worker.terminate();
  }
}

function replyOf(worker: Worker, address: URL, abandoned: AbortSignal): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Fetched>) => resolve(data);
    worker.onerror = () => reject(new Unfetched("The script that fetches addresses could not be loaded. Reload the page."));
    abandoned.addEventListener("abort", () => reject(abandoned.reason as Error));
    worker.postMessage(address.href);
  });
}
