import { element } from "../dom";
import type { Session } from "../session";
import type { Place } from "./place";
import { keep } from "./short-link";

/** Binds the section that shows the snippet for other sites, with a link to a preview. */
export function bindEmbed(session: Session, place: Place): void {
  const box = element("share-embed", HTMLDetailsElement);
  box.hidden = place.shares === "";
  box.addEventListener("toggle", () => {
    if (box.open) void showEmbed(session, place);
  });
  element("share", HTMLDialogElement).addEventListener("close", () => {
    box.open = false;
  });
}

async function showEmbed({ state: { scenario } }: Session, place: Place): Promise<void> {
  const state = element("share-embed-state", HTMLElement);
  state.textContent = "Storing…";
  element("share-snippet", HTMLInputElement).value = "";
  element("share-preview", HTMLAnchorElement).hidden = true;
  try {
    if (place.shortLinkOf(scenario) === undefined) place.addShortLink(await keep(place.shares, scenario), scenario);
  } catch (error) {
    state.textContent = `No snippet: ${error instanceof Error ? error.message : String(error)}`;
    return;
  }
  state.textContent = "";
  const address = place.absolute((place.shortLinkOf(scenario) ?? "").replace(/\/s\/(?=[^/]+$)/, "/embed/"));
  element("share-snippet", HTMLInputElement).value = `<iframe src="${address}" title="crdlab" width="100%" height="400"></iframe>`;
  const preview = element("share-preview", HTMLAnchorElement);
  preview.href = address;
  preview.hidden = false;
}
