import { maxFileSize } from "../bundle";

/** A document that cannot be fetched; the message says why. */
export class Unfetched extends Error {}

/** The time limit of a download, in ms. */
const timeout = 30_000;

/**
 * Fetches a document. The request reveals only the page's origin. All errors are
 * {@link Unfetched}.
 */
export async function fetchText(address: URL): Promise<string> {
  const expired = AbortSignal.timeout(timeout);
  try {
    const response = await fetch(address, {
      cache: "no-cache",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: expired,
    });
    if (!response.ok) throw new Unfetched(refusal(response.status, address));
    return textOf(await readAtMost(maxFileSize, response, address), address);
  } catch (error) {
    if (error instanceof Unfetched) throw error;
    if (expired.aborted) throw new Unfetched(`${address.href} took longer than ${timeout / 1000} s.`);
    // Browsers do not reveal the reason of a network error.
    throw new Unfetched(
      navigator.onLine
        ? `${address.href} cannot be read: ${address.host} does not respond, or does not allow access from other sites (CORS). Download the file and drop it here.`
        : `${address.href} cannot be read: there is no network.`,
    );
  }
}

function refusal(status: number, { href, host }: URL): string {
  switch (status) {
    case 404:
    case 410:
      return `There is no file at ${href} (status ${status}).`;
    case 401:
    case 403:
      return `${href} is not public (status ${status}).`;
    default:
      return `${host} does not return ${href} (status ${status}).`;
  }
}

/** Counts the received bytes: the announced length may count a compressed body. */
async function readAtMost(limit: number, { body }: Response, { href }: URL): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    length += next.value.byteLength;
    if (length > limit) {
      await reader?.cancel();
      throw new Unfetched(`${href} is larger than ${limit >> 20} MiB.`);
    }
    chunks.push(next.value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function textOf(bytes: Uint8Array<ArrayBuffer>, { href }: URL): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Unfetched(`${href} is not valid UTF-8.`);
  }
  if (text.includes("\0")) throw new Unfetched(`${href} is a binary file.`);
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(text)) throw new Unfetched(`${href} is a web page, not YAML. Open the address of the file itself.`);
  return text.replace(/\r\n?/g, "\n");
}
