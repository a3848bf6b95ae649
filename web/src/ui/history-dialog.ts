import { element } from "../dom";
import { isFramed } from "../framed";
import type { Gallery } from "../gallery";
import { type Entry, History, isBlank, titleOf } from "../history";
import { isStep } from "../plan";
import { documentNames, sameScenario, type Scenario } from "../scenario";
import type { Session } from "../session";
import { besideOf, documentOf } from "../start";

const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Keeps the documents that others replace, and restores them. */
export class HistoryDialog {
  readonly #session: Session;
  readonly #gallery: Gallery;
  readonly #history = new History();
  readonly #dialog = element("history", HTMLDialogElement);
  readonly #list = element("history-list", HTMLUListElement);
  readonly #empty = element("history-empty", HTMLElement);
  /** The number of documents that are being added. */
  #adding = 0;

  constructor(session: Session, gallery: Gallery) {
    this.#session = session;
    this.#gallery = gallery;
    // Tests that clear the history wait for it.
    Object.defineProperty(this.#dialog, "pending", { get: () => this.#adding > 0 });
    element("history-open", HTMLButtonElement).addEventListener("click", () => void this.#open());
    session.subscribe((state, previous) => {
      if (state.scenario !== previous.scenario && state.origin === "opened") void this.replaced(previous.scenario, state.scenario);
    });
  }

  /** Adds replaced documents unless they are blank, an example, a step of the plan or still shown. */
  async replaced(before: Scenario, after: Scenario): Promise<void> {
    if (isFramed || isBlank(before) || sameScenario(before, after) || isStep(this.#session.state.plan, before)) return;
    this.#adding++;
    try {
      if (await this.#isExample(before)) return;
      await this.#history.add(before);
    } catch (error) {
      this.#session.update({ notice: `The browser did not keep the replaced documents (${String(error)}). Undo restores them.` });
    } finally {
      this.#adding--;
    }
  }

  /** Reports whether the gallery has a scenario. Without the gallery, it is the user's own. */
  async #isExample(scenario: Scenario): Promise<boolean> {
    await this.#gallery.load().catch(() => undefined);
    return this.#gallery.find(scenario) !== undefined;
  }

  async #open(): Promise<void> {
    this.#list.replaceChildren();
    this.#empty.hidden = true;
    this.#dialog.showModal();
    try {
      this.#show(await this.#history.list());
    } catch {
      this.#say("This browser does not allow the page to store documents.");
    }
  }

  #show(entries: readonly Entry[]): void {
    this.#list.replaceChildren(...entries.map((entry) => this.#row(entry)));
    if (entries.length === 0) this.#say("No replaced documents yet.");
  }

  #say(sentence: string): void {
    this.#empty.textContent = sentence;
    this.#empty.hidden = false;
  }

  #row(entry: Entry): Node {
    const row = element("history-entry", HTMLTemplateElement).content.cloneNode(true) as DocumentFragment;
    const item = row.querySelector("li");
    const title = titleOf(entry.scenario);
    row.querySelector("strong")?.append(title);
    row.querySelector(".quiet")?.append(`${times.format(entry.at)} · ${sizeOf(entry.scenario)}`);
    row.querySelector("[data-restore]")?.addEventListener("click", () => this.#restore(entry.scenario));
    const remove = row.querySelector("[data-delete]");
    remove?.setAttribute("aria-label", `Delete ${title}`);
    remove?.addEventListener("click", () => void this.#remove(entry, item));
    return row;
  }

  #restore(scenario: Scenario): void {
    this.#dialog.close();
    const document = documentOf(scenario);
    this.#session.update({ scenario, document, beside: besideOf(document), opened: [], notice: "" });
  }

  async #remove(entry: Entry, item: HTMLElement | null): Promise<void> {
    await this.#history.remove(entry.id);
    const neighbour = item?.nextElementSibling ?? item?.previousElementSibling;
    item?.remove();
    if (neighbour) neighbour.querySelector<HTMLElement>("[data-delete]")?.focus();
    else this.#show([]);
  }
}

/** Describes the documents of a scenario by their lines. */
function sizeOf(scenario: Scenario): string {
  const sizes = documentNames
    .filter((name) => scenario[name] !== "")
    .map((name) => `${tabTitle(name)} ${scenario[name].trimEnd().split("\n").length}`);
  return `lines: ${sizes.join(", ")}`;
}

/** Returns the title of a document's tab. */
function tabTitle(name: string): string {
  return element(`tab-${name}`, HTMLElement).firstChild?.textContent?.trim() ?? name;
}
