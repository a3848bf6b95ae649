import { element } from "../dom";
import type { Gallery } from "../gallery";
import type { Session } from "../session";
import { fragmentOf } from "./address";
import type { Place } from "./place";
import { keep } from "./short-link";

/** Binds the section that shows the snippet for other sites, with a link to a preview. */
export function bindEmbed(session: Session, gallery: Gallery, place: Place): void {
  const box = element("share-embed", HTMLDetailsElement);
  for (const part of box.querySelectorAll<HTMLElement>("[data-stores]")) part.hidden = (part.dataset["stores"] === "nowhere") === (place.shares !== "");
  box.hidden = false;
  box.addEventListener("toggle", () => {
    if (box.open) void showEmbed(session, gallery, place);
  });
  element("share", HTMLDialogElement).addEventListener("close", () => {
    box.open = false;
  });
}

async function showEmbed(session: Session, gallery: Gallery, place: Place): Promise<void> {
  const { scenario } = session.state;
  const state = element("share-embed-state", HTMLElement);
  element("share-snippet", HTMLInputElement).value = "";
  element("share-preview", HTMLAnchorElement).hidden = true;
  let address: string;
  if (place.shares === "") {
    const fragment = await fragmentOf(session.state, gallery);
    state.textContent = fragment ? "" : "No snippet: the documents are too large for a link, and this site stores none.";
    if (!fragment) return;
    address = new URL(`embed.html${fragment}`, place.absolute(place.home)).href;
  } else {
    state.textContent = "Storing…";
    try {
      if (place.shortLinkOf(scenario) === undefined) place.addShortLink(await keep(place.shares, scenario), scenario);
    } catch (error) {
      state.textContent = `No snippet: ${error instanceof Error ? error.message : String(error)}`;
      return;
    }
    state.textContent = "";
    address = place.absolute((place.shortLinkOf(scenario) ?? "").replace(/\/s\/(?=[^/]+$)/, "/embed/"));
  }
  element("share-snippet", HTMLInputElement).value = `<iframe src="${address}" title="crdlab" width="100%" height="400"></iframe>`;
  const preview = element("share-preview", HTMLAnchorElement);
  preview.href = address;
  preview.hidden = false;
}
