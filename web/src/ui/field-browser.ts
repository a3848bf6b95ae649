import type { FieldsResult } from "../api.gen";
import { element } from "../dom";
import type { Assistant } from "../engine/assistant";
import { type FieldNode, FieldSearch, nodeAt, sameFieldPlace, treeOf } from "../fields";
import { isFramed } from "../framed";
import { emptyScenario, type Scenario, withoutDefaults } from "../scenario";
import type { Session, SessionState } from "../session";
import { encode, maxEncoded } from "../share/codec";
import { formatFragment } from "../share/fragment";
import { afterPause } from "../throttle";
import type { Documents } from "./documents";
import { allSentence, detailsOf, foundSentence } from "./field-row";
import { FieldTreeView } from "./field-tree";

/** The time in ms until a failed request is repeated. */
const retryAfter = 1000;

const maxAttempts = 5;

/** The time in ms without a keystroke after which the search begins. */
const pause = 120;

/** Documents the fields of the CRD in the panel "schema". */
export class FieldBrowser {
  readonly #session: Session;
  readonly #assistant: Assistant;
  readonly #documents: Documents;
  readonly #section = element("fields", HTMLElement);
  readonly #version = element("fields-version", HTMLSelectElement);
  readonly #search = element("fields-search", HTMLInputElement);
  readonly #view: FieldTreeView;
  /** The scenario whose fields are shown or requested. */
  #asked: Scenario | undefined;
  /** The number of failed requests since the last tree, for example because the engine was busy. */
  #failures = 0;
  #tree: FieldsResult | undefined;
  #root: FieldNode | undefined;
  #index: FieldSearch | undefined;

  constructor(session: Session, assistant: Assistant, documents: Documents) {
    this.#session = session;
    this.#assistant = assistant;
    this.#documents = documents;
    this.#view = new FieldTreeView({
      place: element("fields-tree", HTMLElement),
      details: (node) => detailsOf(node, () => void this.#insert(node)),
      choose: (node) => session.update({ field: node && this.#tree && { version: this.#tree.version, names: node.names } }),
    });
    this.#search.addEventListener("input", afterPause(pause, () => this.#filter()));
    this.#version.addEventListener("change", () => {
      session.update({ field: undefined });
      void this.#ask(this.#version.value);
    });
    session.subscribe((state, previous) => this.#follow(state, previous));
    this.#follow(session.state, session.state);
  }

  #follow(state: SessionState, previous: SessionState): void {
    if (state.panel !== "schema") return;
    if (state.scenario.crd !== this.#asked?.crd) this.#section.classList.add("is-stale");
    if (isAnswered(state) && !sameFields(state.scenario, this.#asked)) void this.#ask(this.#wantedVersion(state));
    else if (!sameFieldPlace(state.field, previous.field)) this.#showPlace(state);
  }

  /** Keeps the version, unless the address names one. */
  #wantedVersion({ field }: SessionState): string {
    return field?.version ?? this.#tree?.version ?? "";
  }

  async #ask(version: string): Promise<void> {
    const { scenario } = this.#session.state;
    this.#asked = scenario;
    const tree = await this.#assistant.fields(scenario, version);
    if (this.#asked !== scenario) return;
    if (!tree) {
      this.#asked = undefined;
      if (++this.#failures < maxAttempts) setTimeout(() => this.#follow(this.#session.state, this.#session.state), retryAfter);
      return;
    }
    this.#failures = 0;
    // A CRD that cannot be decoded keeps the fields of the last one.
    if (tree.fields.length > 0 || !this.#tree) this.#show(tree);
  }

  #show(tree: FieldsResult): void {
    this.#tree = tree;
    this.#root = treeOf(tree.fields);
    this.#index = this.#root && new FieldSearch(this.#root);
    this.#section.hidden = !this.#root;
    this.#section.classList.remove("is-stale");
    this.#version.replaceChildren(...tree.versions.map((name) => new Option(name, name, false, name === tree.version)));
    element("fields-versions", HTMLElement).hidden = tree.versions.length < 2;
    this.#filter();
    this.#showPlace(this.#session.state);
    void this.#link();
  }

  /** Leads to the documentation of the CRD, if it fits into an address. */
  async #link(): Promise<void> {
    const { crd, crdIndex } = this.#session.state.scenario;
    const payload = await encode({ ...emptyScenario, crd, crdIndex });
    const link = element("fields-docs", HTMLAnchorElement);
    if (isFramed) link.target = "_blank";
    link.href = `schema/${payload.length > maxEncoded ? "" : formatFragment({ payload })}`;
  }

  /** Shows the fields that match the search, or all. */
  #filter(): void {
    const query = this.#search.value.trim();
    const found = query === "" ? undefined : this.#index?.search(query);
    this.#view.show(this.#root, found);
    element("fields-shown", HTMLElement).textContent = found
      ? foundSentence(found.matches.size, found.total)
      : allSentence(this.#tree);
  }

  /** Shows the field of the address or the opened one. */
  #showPlace({ field }: SessionState): void {
    if (!this.#tree || !this.#root) return;
    if (field && field.version !== this.#tree.version && this.#tree.versions.includes(field.version)) {
      void this.#ask(field.version);
      return;
    }
    const names = field && nodeAt(this.#root, field.names) ? field.names : undefined;
    if (names && !this.#view.isOpen(names)) this.#view.reveal(names);
    this.#view.mark(names);
  }

  async #insert({ names }: FieldNode): Promise<void> {
    const { scenario } = this.#session.state;
    const insertion = await this.#assistant.insert({
      scenario: withoutDefaults(scenario),
      version: this.#tree?.version ?? "",
      field: names,
      position: this.#documents.cursor("object"),
    });
    if (!insertion || this.#session.state.scenario.object !== scenario.object) return;
    const { fix, present, problem } = insertion;
    if (fix) this.#documents.edit(fix);
    else if (present) this.#documents.go({ document: "object", range: present });
    else this.#session.update({ notice: problem });
  }
}

/** Reports whether the final answer to the scenario has arrived. */
function isAnswered({ scenario, answered, answer }: SessionState): boolean {
  return scenario === answered && answer !== undefined && answer.preliminary !== true;
}

/** Reports whether two scenarios have the same fields, with the same rules and costs. */
function sameFields(a: Scenario, b: Scenario | undefined): boolean {
  return b !== undefined && a.crd === b.crd && a.crdIndex === b.crdIndex && a.kubernetes === b.kubernetes;
}
