import { element, write } from "../dom";
import { type Permission, storePermission } from "../engine/permission";
import type { Session, SessionState } from "../session";

/** Binds the question whether documents may go to the server, and the button that repeats it. */
export function bindPermission(session: Session): void {
  const question = element("permission", HTMLElement);
  const again = element("permission-again", HTMLButtonElement);
  element("permission-host", HTMLElement).textContent = location.host;
  const decide = (permission: Permission): void => {
    storePermission(permission);
    session.update({ permission, question: false, ...(permission === "granted" && { answered: undefined }) });
    element("result", HTMLElement).focus();
  };
  element("permission-grant", HTMLButtonElement).addEventListener("click", () => decide("granted"));
  element("permission-refuse", HTMLButtonElement).addEventListener("click", () => decide("refused"));
  again.addEventListener("click", () => {
    if (session.state.permission === "granted") {
      decide("refused");
      return;
    }
    session.update({ question: true });
    element("permission-grant", HTMLButtonElement).focus();
  });
  // The documents outlast a reload, which loads the engine again.
  for (const reload of document.querySelectorAll("[data-reload]")) reload.addEventListener("click", () => location.reload());
  const show = (state: SessionState): void => {
    const isGranted = state.permission === "granted";
    const isMissing = state.engine.at !== "page" && state.engine.at !== "loading";
    const isAsked = state.question && state.engine.at === "withheld" && state.online;
    write(question, { hidden: !isAsked });
    write(element("engine-offline", HTMLElement), { hidden: !isMissing || state.online });
    write(element("engine-again", HTMLButtonElement), { hidden: !isMissing || !state.online || isAsked });
    write(again, { hidden: !isGranted && (state.engine.at !== "withheld" || isAsked || !state.online) });
    write(again, { textContent: isGranted ? "Stop sending documents to the server" : "Evaluate on the server…" });
  };
  show(session.state);
  session.subscribe(show);
}
