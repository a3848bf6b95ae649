import { documentNames, isOneOf } from "../scenario";
import type { Session } from "../session";

/** Binds the bar of narrow windows: it shows a document, the problems or the result. */
export function bindJumpBar(session: Session): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-jump]")) {
    button.addEventListener("click", () => {
      const { jump = "" } = button.dataset;
      if (isOneOf(documentNames, jump)) session.update({ document: jump });
      const id = isOneOf(documentNames, jump) ? "documents" : jump;
      document.getElementById(id)?.scrollIntoView({ block: "start" });
    });
  }
}
