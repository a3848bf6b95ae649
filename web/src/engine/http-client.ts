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
