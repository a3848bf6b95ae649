import { element } from "../dom";
import type { Remote } from "../remote/remote";
import { problemOf } from "../remote/source";
import type { Session } from "../session";

/** Binds the dialog for addresses and its menu entry. */
export function bindAddressDialog(session: Session, remote: Remote): void {
  const dialog = element("address", HTMLDialogElement);
  const input = element("address-input", HTMLInputElement);
  const state = element("address-state", HTMLElement);
  element("address-open", HTMLButtonElement).addEventListener("click", () => {
    element("document-menu", HTMLElement).hidePopover();
    state.textContent = "";
    dialog.showModal();
    input.select();
  });
  element("address-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    state.textContent = "Fetching…";
    void remote.openBeside(input.value).then((isOpen) => {
      if (isOpen) {
        dialog.close();
        return;
      }
      state.textContent = problemOf(session.state);
      input.focus();
    });
  });
  element("address-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => remote.abandon());
}
