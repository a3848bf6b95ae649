import type { Answer, AssistResponse, AssistRequest, View } from "../api.gen";

/** Requests the answer to a view from a server; the timeout is in ms. */
export async function evaluateByHTTP(address: string, view: View, timeout: number): Promise<Answer> {
  return (await ask(address, view, timeout)) as Answer;
}

/** Sends an assist request to a server; the timeout is in ms. */
export async function assistByHTTP(base: string, request: AssistRequest, timeout: number): Promise<AssistResponse> {
  const [kind, part] = Object.entries(request)[0] ?? [""];
  return { [kind]: await ask(base + kind, part, timeout) };
}

async function ask(address: string, body: unknown, timeout: number): Promise<unknown> {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeout),
  });
  if (response.ok) return response.json();
  throw new Error(await problemOf(response));
}

/** Returns the detail of a problem document (RFC 9457), or the status. */
export async function problemOf(response: Response): Promise<string> {
  const status = `the server answered ${response.status}`;
  try {
    const problem: unknown = await response.json();
    if (typeof problem === "object" && problem !== null && "detail" in problem) {
      return typeof problem.detail === "string" ? problem.detail : status;
    }
  } catch {
    // Not JSON: report the status only.
  }
  return status;
}
