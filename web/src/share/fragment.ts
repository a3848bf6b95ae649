import { type FieldPlace, formatFieldPlace, parseFieldPlace } from "../fields";
import { isOneOf, isRelease, type PanelName, panelNames } from "../scenario";
import { maxEncoded } from "./codec";

/** The contents of a URL's fragment. */
export interface Fragment {
  /** An encoded scenario in format 1. */
  readonly payload?: string;
  /** The id of an example. */
  readonly example?: string;
  /** The addresses of documents, one on each line. */
  readonly url?: string;
  /** Documents as a YAML stream. */
  readonly yaml?: string;
  /** The Kubernetes release that judges the documents. */
  readonly release?: string;
  /** Reports that the documents cannot be edited. */
  readonly readOnly?: boolean;
  /** The theme in a frame. */
  readonly theme?: string;
  /** The step of the tour that the example is. */
  readonly tour?: number;
  readonly panel?: PanelName;
  /** The field that the panel "schema" shows. */
  readonly field?: FieldPlace | undefined;
}

/** Parses "#1=…&panel=…", "#example=…", "#url=…&url=…" or "#yaml=…" and ignores unknown parts. */
export function parseFragment(hash: string): Fragment {
  const parts = new Map<string, string>();
  const addresses: string[] = [];
  for (const part of hash.replace(/^#/, "").split("&")) {
    const equals = part.indexOf("=");
    if (equals > 0) parts.set(part.slice(0, equals), part.slice(equals + 1));
    if (part.startsWith("url=")) addresses.push(decodeAddress(part.slice(equals + 1)));
  }
  const payload = parts.get("1");
  const example = parts.get("example");
  const url = addresses.filter((address) => address !== "").join("\n");
  const yaml = decodeText(parts.get("yaml") ?? "");
  const release = parts.get("release");
  const theme = parts.get("theme");
  const panel = parts.get("panel");
  const tour = Number(parts.get("tour"));
  const field = parseFieldPlace(parts.get("field") ?? "");
  return {
    ...(payload ? { payload } : {}),
    ...(example ? { example } : {}),
    ...(url ? { url } : {}),
    ...(yaml ? { yaml } : {}),
    ...(release && isRelease(release) ? { release } : {}),
    ...(parts.get("read-only") === "true" ? { readOnly: true } : {}),
    ...(theme ? { theme } : {}),
    ...(tour > 0 ? { tour } : {}),
    ...(isOneOf(panelNames, panel) ? { panel } : {}),
    ...(field ? { field } : {}),
  };
}

/** Decodes an address, which some authors of links leave without percent-encoding. */
function decodeAddress(address: string): string {
  if (/^[a-z]+:\/\//i.test(address)) return address;
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

/** Decodes a value; empty if it is too long or damaged. */
function decodeText(text: string): string {
  try {
    return text.length > maxEncoded ? "" : decodeURIComponent(text);
  } catch {
    return "";
  }
}

/** Formats a fragment. The initial panel is omitted, and the field unless its panel is shown. */
export function formatFragment({ payload, example, url, panel, field }: Fragment): string {
  const parts: string[] = [];
  if (example) parts.push(`example=${example}`);
  else if (url) parts.push(...url.split("\n").map((address) => `url=${encodeURIComponent(address)}`));
  else if (payload) parts.push(`1=${payload}`);
  if (panel && panel !== panelNames[0]) parts.push(`panel=${panel}`);
  if (field && panel === "schema") parts.push(`field=${formatFieldPlace(field)}`);
  return parts.length > 0 ? `#${parts.join("&")}` : "";
}

export function namesScenario({ payload, example, url, yaml }: Fragment): boolean {
  return [payload, example, url, yaml].some((named) => named !== undefined);
}
