import { type FieldPlace, formatFieldPlace, parseFieldPlace } from "../fields";
import { isOneOf, type PanelName, panelNames } from "../scenario";

/** The contents of a URL's fragment. */
export interface Fragment {
  /** An encoded scenario in format 1. */
  readonly payload?: string;
  /** The id of an example. */
  readonly example?: string;
  /** The address of a document. */
  readonly url?: string;
  readonly panel?: PanelName;
  /** The field that the panel "schema" shows. */
  readonly field?: FieldPlace | undefined;
}

/** Parses "#1=…&panel=…", "#example=…" or "#url=…" and ignores unknown parts. */
export function parseFragment(hash: string): Fragment {
  const parts = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const equals = part.indexOf("=");
    if (equals > 0) parts.set(part.slice(0, equals), part.slice(equals + 1));
  }
  const payload = parts.get("1");
  const example = parts.get("example");
  const url = decodeAddress(parts.get("url") ?? "");
  const panel = parts.get("panel");
  const field = parseFieldPlace(parts.get("field") ?? "");
  return {
    ...(payload ? { payload } : {}),
    ...(example ? { example } : {}),
    ...(url ? { url } : {}),
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

/** Formats a fragment. The initial panel is omitted, and the field unless its panel is shown. */
export function formatFragment({ payload, example, url, panel, field }: Fragment): string {
  const parts: string[] = [];
  if (example) parts.push(`example=${example}`);
  else if (url) parts.push(`url=${encodeURIComponent(url)}`);
  else if (payload) parts.push(`1=${payload}`);
  if (panel && panel !== panelNames[0]) parts.push(`panel=${panel}`);
  if (field && panel === "schema") parts.push(`field=${formatFieldPlace(field)}`);
  return parts.length > 0 ? `#${parts.join("&")}` : "";
}

export function namesScenario({ payload, example, url }: Fragment): boolean {
  return payload !== undefined || example !== undefined || url !== undefined;
}
