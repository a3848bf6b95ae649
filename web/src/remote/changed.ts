import { digestOf } from "../digest";
import { read, write } from "../local";

const key = "crdlab.seen";

/** The maximum number of links that the browser remembers. */
const maxSeen = 100;

/** The content of a link at the last visit. */
interface Seen {
  readonly address: string;
  readonly digest: string;
  /** The time of the visit in milliseconds since 1970. */
  readonly at: number;
}

/**
 * Records the content of a link. Returns the day of the last visit if the content was
 * different then.
 */
export async function changedSince(address: string, content: string): Promise<string | undefined> {
  const digest = await digestOf(content);
  if (digest === undefined) return undefined;
  const all = stored();
  const last = all.find((seen) => seen.address === address);
  const others = all.filter((seen) => seen !== last);
  write(key, JSON.stringify([{ address, digest, at: Date.now() }, ...others].slice(0, maxSeen)));
  if (!last || last.digest === digest) return undefined;
  return new Date(last.at).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}

/** Reads the records and drops invalid ones. */
function stored(): readonly Seen[] {
  try {
    const value: unknown = JSON.parse(read(key) ?? "[]");
    return Array.isArray(value) ? value.filter(isSeen) : [];
  } catch {
    return [];
  }
}

function isSeen(value: unknown): value is Seen {
  if (typeof value !== "object" || value === null) return false;
  const { address, digest, at } = value as Partial<Record<keyof Seen, unknown>>;
  return typeof address === "string" && typeof digest === "string" && typeof at === "number" && Math.abs(at) <= 8.64e15;
}
