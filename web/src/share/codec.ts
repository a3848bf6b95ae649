import { type Scenario, scenarioFrom, withoutDefaults } from "../scenario";

/** The maximum length of a link, in characters. */
export const maxEncoded = 1 << 20;

/** The maximum size of a scenario in a link, in bytes of JSON. */
export const maxDecoded = 8 << 20;

/** A link's payload that cannot be read; the message says why. */
export class UnreadableLink extends Error {}

/** Encodes a scenario in format 1: JSON in raw deflate in base64url. */
export async function encode(scenario: Scenario): Promise<string> {
  const json = new TextEncoder().encode(JSON.stringify(withoutDefaults(scenario)));
  const packed = new Blob([json]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return toBase64url(new Uint8Array(await new Response(packed).arrayBuffer()));
}

/** Decodes the result of encode. Unknown fields are ignored. */
export async function decode(payload: string): Promise<Scenario> {
  if (payload.length > maxEncoded) throw new UnreadableLink("The link is too long.");
  const json = await inflate(fromBase64url(payload));
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(json));
  } catch {
    throw new UnreadableLink("The link is damaged: it does not contain JSON.");
  }
  return toScenario(value);
}

/** Converts any JSON value to a scenario. */
export function toScenario(value: unknown): Scenario {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UnreadableLink("The link is damaged: it does not contain a scenario.");
  }
  return scenarioFrom(value);
}

async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = unpacked.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      length += next.value.byteLength;
      if (length > maxDecoded) throw new UnreadableLink("The link is too large.");
      chunks.push(next.value);
    }
  } catch (error) {
    if (error instanceof UnreadableLink) {
      await reader.cancel().catch(() => {});
      throw error;
    }
    throw new UnreadableLink("The link is damaged: it cannot be unpacked.");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function toBase64url(bytes: Uint8Array): string {
  const step = 0x8000;
  let binary = "";
  for (let i = 0; i < bytes.length; i += step) {
    binary += String.fromCharCode(...bytes.subarray(i, i + step));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    throw new UnreadableLink("The link is damaged: it is not base64url.");
  }
}
