import type { Config } from "../config";
import { element } from "../dom";
import type { Assistant } from "../engine/assistant";
import { isFramed } from "../framed";
import type { Gallery } from "../gallery";
import type { Session } from "../session";
import type { Scenario } from "../scenario";
import { keepAddress } from "./address";
import { bindCopyButtons, bindShareMore, openShareDialog } from "./dialog";
import { bindEmbed } from "./embed";
import { bindExport } from "./export";
import { Place } from "./place";
import { bindShortLink } from "./short-link";

/**
 * Binds links, exports and the address of the page. served is the scenario in the page that
 * the server sent. Returns a function that opens the dialog.
 */
export function bindShare(session: Session, config: Config, gallery: Gallery, assistant: Assistant, served: Scenario): () => void {
  const place = new Place(config, location, served);
  const open = (): void => void openShareDialog(session, gallery, place);
  bindCopyButtons();
  bindShareMore(session);
  bindExport(session, (scenario) => assistant.export(scenario));
  bindShortLink(session, place);
  bindEmbed(session, gallery, place);
  element("share-open", HTMLButtonElement).addEventListener("click", open);
  // Another address would not be framed again at a reload.
  if (!isFramed) keepAddress(session, gallery, place);
  return open;
}
