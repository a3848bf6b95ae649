import { isOneOf, type PanelName, panelNames } from "../contract";

/** What a URL's fragment asks for. */
export interface Fragment {
  /** A scenario in format 1, still packed. */
  readonly payload?: string;
  /** The id of an example. */
  readonly example?: string;
  readonly panel?: PanelName;
}

/** Reads "#1=…&panel=…" or "#example=…"; what it does not know it leaves out. */
export function parseFragment(hash: string): Fragment {
  const parts = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const equals = part.indexOf("=");
    if (equals > 0) parts.set(part.slice(0, equals), part.slice(equals + 1));
  }
  const payload = parts.get("1");
  const example = parts.get("example");
  const panel = parts.get("panel");
  return {
    ...(payload ? { payload } : {}),
    ...(example ? { example } : {}),
    ...(isOneOf(panelNames, panel) ? { panel } : {}),
  };
}

/** Writes a fragment; the panel shown at first goes without saying. */
export function formatFragment({ payload, example, panel }: Fragment): string {
  const parts: string[] = [];
  if (example) parts.push(`example=${example}`);
  else if (payload) parts.push(`1=${payload}`);
  if (panel && panel !== panelNames[0]) parts.push(`panel=${panel}`);
  return parts.length > 0 ? `#${parts.join("&")}` : "";
}

export function namesScenario({ payload, example }: Fragment): boolean {
  return payload !== undefined || example !== undefined;
}
