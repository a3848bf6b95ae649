import { element } from "../dom";
import type { Replaced } from "../own";
import type { Session } from "../session";
import { maxFileSize, sortTexts } from "../bundle";

/** Opens files from the menu entry or dropped onto the documents. */
export function bindFiles(session: Session, replaced: Replaced): void {
  const picker = element("open-files", HTMLInputElement);
  const open = (files: Iterable<File>): void => {
    openFiles(session, replaced, [...files]).catch((error: unknown) => {
      session.update({ notice: `The files cannot be read: ${error instanceof Error ? error.message : String(error)}` });
    });
  };
  element("open-files-button", HTMLButtonElement).addEventListener("click", () => {
    element("document-menu", HTMLElement).hidePopover();
    picker.click();
  });
  picker.addEventListener("change", () => {
    open(picker.files ?? []);
    picker.value = "";
  });
  bindDrop(element("documents", HTMLElement), open);
}

/** Handles dropped files before the editor inserts them. */
function bindDrop(pane: HTMLElement, open: (files: Iterable<File>) => void): void {
  const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
  pane.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    pane.dataset["drop"] = "";
  });
  pane.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && pane.contains(relatedTarget))) delete pane.dataset["drop"];
  });
  pane.addEventListener(
    "drop",
    (event) => {
      delete pane.dataset["drop"];
      if (!event.dataTransfer || !holdsFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      open(event.dataTransfer.files);
    },
    { capture: true },
  );
}

async function openFiles(session: Session, replaced: Replaced, files: readonly File[]): Promise<void> {
  const tooLarge = files.find(({ size }) => size > maxFileSize);
  if (tooLarge) throw new Error(`${tooLarge.name} is larger than ${maxFileSize >> 20} MiB.`);
  const texts = await Promise.all(files.map((file) => file.text()));
  if (texts.length === 0) return;
  session.edit(replaced(sortTexts(texts, session.state.document)), "opened");
}
