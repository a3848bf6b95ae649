import { element } from "../dom";
import type { Gallery } from "../gallery";
import { sourceAddressOf } from "../remote/source";
import type { Scenario } from "../scenario";
import type { Session } from "../session";
import { fragmentOf } from "./address";
import { encode, maxEncoded } from "./codec";
import { download } from "./download";
import { formatFragment } from "./fragment";
import { filesOf, markdownOf } from "./documents";
import type { Place } from "./place";
import { serverCommand } from "./server";
import { showShortLink } from "./short-link";
import { zip } from "./zip";

/** Some programs cut longer links. */
const comfortable = 8 << 10;

/** Shows the links to the current state. */
export async function openShareDialog(
  session: Session,
  gallery: Gallery,
  place: Place,
): Promise<void> {
  const fragment = await fragmentOf(session.state, gallery);
  const link = place.absolute(place.home + fragment);
  const isLong = !fragment || link.length > comfortable;
  element("share-link", HTMLInputElement).value = fragment ? link : "";
  const url = sourceAddressOf(session.state);
  element("share-url-field", HTMLElement).hidden = url === undefined;
  element("share-url", HTMLInputElement).value =
    url === undefined ? "" : place.absolute(place.home + formatFragment({ url, panel: session.state.panel, field: session.state.field }));
  void showServerCommand(session.state.scenario, place);
  const note = lengthNote(fragment, link.length);
  const noteElement = element("share-length", HTMLElement);
  noteElement.textContent = note;
  noteElement.hidden = note === "";
  element("share-copied", HTMLElement).textContent = "";
  element("share", HTMLDialogElement).showModal();
  element("share-link", HTMLInputElement).select();
  showShortLink(session.state, place, isLong);
}

/** Shows the command that starts an API server. Its link has the documents even if they are those of an example. */
async function showServerCommand(scenario: Scenario, place: Place): Promise<void> {
  const payload = await encode(scenario);
  const { text, about } = serverCommand(scenario, payload.length > maxEncoded ? "" : place.absolute(place.home + formatFragment({ payload })));
  element("share-server", HTMLInputElement).value = text;
  element("share-server-note", HTMLElement).textContent = about;
}

function lengthNote(fragment: string, length: number): string {
  if (!fragment) return "Too large for a link.";
  if (length <= comfortable) return "";
  const kilobytes = Math.ceil(length / 1024);
  return `The link is ${kilobytes} KB long: browsers open it, but chat apps and issue trackers may truncate it.`;
}

/** Binds the copy buttons of the links. */
export function bindCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLElement>("[data-copy]")) {
    button.addEventListener("click", () => void copy(button.dataset["copy"] ?? ""));
  }
}

/** Binds the other buttons of the dialog: the Markdown report and the download. */
export function bindShareMore(session: Session): void {
  const status = element("share-copied", HTMLElement);
  element("share-print", HTMLButtonElement).addEventListener("click", () => {
    element("share", HTMLDialogElement).close();
    print();
  });
  element("share-report", HTMLButtonElement).addEventListener("click", () => {
    const { scenario, answer } = session.state;
    const text = markdownOf(scenario, answer, element("share-link", HTMLInputElement).value);
    navigator.clipboard.writeText(text).then(
      () => (status.textContent = "Copied."),
      () => (status.textContent = "The browser does not allow copying."),
    );
  });
  element("share-download", HTMLButtonElement).addEventListener("click", () => {
    void zip(filesOf(session.state.scenario)).then((archive) => {
      download(archive, "crdlab.zip");
      status.textContent = "Downloaded as crdlab.zip.";
    });
  });
}

async function copy(id: string): Promise<void> {
  const field = element(id, HTMLInputElement);
  const status = element("share-copied", HTMLElement);
  try {
    await navigator.clipboard.writeText(field.value);
    status.textContent = "Copied.";
  } catch {
    field.select();
    status.textContent = "The browser does not allow copying; the link is selected.";
  }
}
