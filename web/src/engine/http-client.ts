/** Asks a server for the answer to a scenario, both as JSON text. */
export async function evaluateByHTTP(
  address: string,
  scenario: string,
  timeout: number,
): Promise<string> {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: scenario,
    signal: AbortSignal.timeout(timeout),
  });
  if (response.ok) return response.text();
  throw new Error(await problemOf(response));
}

/** What a server answers a question with goes by another name than the question. */
const answerNames: Readonly<Record<string, string>> = {
  complete: "completion",
  hover: "hover",
  sample: "sample",
  format: "formatted",
};

/** Asks a server a question of somebody who writes, as evaluateByHTTP. */
export async function helpByHTTP(base: string, question: string, timeout: number): Promise<string> {
  const [kind, part] = Object.entries(JSON.parse(question) as Record<string, unknown>)[0] ?? [""];
  const answer = await evaluateByHTTP(base + kind, JSON.stringify(part), timeout);
  return `{${JSON.stringify(answerNames[kind])}: ${answer}}`;
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
