import { element } from "../dom";
import { groupOf, isOneOf } from "../scenario";
import { panes, type Session, type SessionState } from "../session";

/** Binds the buttons that show one pane instead of all. */
export function bindMaximize(session: Session): void {
  const place = element("panes", HTMLElement);
  const buttons = [...document.querySelectorAll<HTMLElement>("[data-maximize]")];
  const show = ({ maximized }: SessionState): void => {
    if (maximized === "") delete place.dataset["maximized"];
    else place.dataset["maximized"] = maximized;
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset["maximize"] === maximized));
    }
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const { maximize } = button.dataset;
      if (!isOneOf(panes, maximize)) return;
      session.update({ maximized: session.state.maximized === maximize ? "" : maximize });
    });
  }
  session.subscribe((state, previous) => {
    if (state.maximized !== previous.maximized) show(state);
    // A document that is opened from elsewhere must be visible.
    else if (state.maximized !== "" && hides(state, previous)) session.update({ maximized: "" });
  });
}

/** Reports whether the maximized pane hides the part that a change shows. */
function hides({ maximized, document, panel }: SessionState, previous: SessionState): boolean {
  const [pane] = groupOf(document);
  return (document !== previous.document && maximized !== pane) || (panel !== previous.panel && maximized !== "result");
}
