import type { Answer, Help, Question, View } from "../api";

/** Asks a server for the answer to a view; the timeout is in ms. */
export async function evaluateByHTTP(address: string, view: View, timeout: number): Promise<Answer> {
  return (await ask(address, view, timeout)) as Answer;
}

/** What a server answers a question with goes by another name than the question. */
const answerNames: Readonly<Record<string, string>> = {
  complete: "completion",
  hover: "hover",
  sample: "sample",
  format: "formatted",
  try: "tried",
};

/** Asks a server a question of somebody who writes, as evaluateByHTTP. */
export async function helpByHTTP(base: string, question: Question, timeout: number): Promise<Help> {
  const [kind, part] = Object.entries(question)[0] ?? [""];
  return { [answerNames[kind] ?? ""]: await ask(base + kind, part, timeout) };
}

async function ask(address: string, question: unknown, timeout: number): Promise<unknown> {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(timeout),
  });
  if (response.ok) return response.json();
  throw new Error(await problemOf(response));
}

/** The sentence in a problem details answer (RFC 9457), or the status. */
export async function problemOf(response: Response): Promise<string> {
  const status = `the server answered ${response.status}`;
  try {
    const problem: unknown = await response.json();
    if (typeof problem === "object" && problem !== null && "detail" in problem) {
      return typeof problem.detail === "string" ? problem.detail : status;
    }
  } catch {
    // Not JSON: then the status is all there is to say.
  }
  return status;
}
