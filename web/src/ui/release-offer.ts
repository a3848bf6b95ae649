import { type Config, serverReleases } from "../config";
import { element, write } from "../dom";
import { requiresRelease } from "../engine/engine";
import { storePermission } from "../engine/permission";
import type { Session, SessionState } from "../session";

/** Offers to evaluate on the server if only the server has the libraries of the scenario's release. */
export function bindReleaseOffer(session: Session, config: Config): void {
  const releases = serverReleases(config);
  const offer = element("release-offer", HTMLElement);
  const reason = element("release-offer-reason", HTMLElement);
  element("release-offer-accept", HTMLButtonElement).addEventListener("click", () => {
    storePermission("granted");
    session.update({ permission: "granted", answer: undefined, answered: undefined });
    element("result", HTMLElement).focus();
  });
  const show = (state: SessionState): void => {
    const { scenario, panel, permission } = state;
    write(offer, { hidden: permission === "granted" || state.engine.at !== "page" || !requiresRelease({ scenario, panels: [panel] }, releases) });
    const which = scenario.kubernetes === "" ? "older Kubernetes releases" : `Kubernetes ${scenario.kubernetes}`;
    write(reason, { textContent: `The server at ${location.host} has the libraries of ${which}; this page does not. The server does not store the documents.` });
  };
  show(session.state);
  session.subscribe(show);
}
