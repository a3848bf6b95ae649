import { element } from "../dom";
import type { Session } from "../session";

/** Lets a click in the list of the CRDs of a document choose one. */
export function bindCRDs(session: Session): void {
  element("crds", HTMLElement).addEventListener("click", ({ target }) => {
    const index = target instanceof Element && target.closest<HTMLElement>("[data-crd-index]")?.dataset["crdIndex"];
    if (index) session.edit({ crdIndex: Number(index) });
  });
}
