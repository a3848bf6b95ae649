// The script of the page that documents a CRD: the one in the address, or in the last session
// in the playground.
import "../../internal/site/schema.css";
import type { FieldsResult, Rule } from "./api.gen";
import { readConfig } from "./config";
import { element } from "./dom";
import { totalTime } from "./engine/allowance";
import type { Assist } from "./engine/assistant";
import { type FieldNode, FieldSearch, nodeAt, treeOf } from "./fields";
import { Gallery } from "./gallery";
import { emptyScenario, type Scenario, withoutDefaults } from "./scenario";
import { encode, maxEncoded } from "./share/codec";
import { type Fragment, formatFragment, namesScenario, parseFragment } from "./share/fragment";
import { type Linked, openLink } from "./start";
import { storedSession } from "./storage";
import { afterPause } from "./throttle";
import { copy } from "./ui/copy";
import { button, make } from "./ui/elements";
import { allSentence, bodyOf, foundSentence } from "./ui/field-row";
import { FieldTreeView } from "./ui/field-tree";

/** The time in ms without a keystroke after which the search begins. */
const pause = 120;

/** Documents the fields of a CRD. */
class Documentation {
  readonly #crd: Pick<Scenario, "crd" | "crdIndex" | "kubernetes">;
  /** The part of the address that leads to the CRD. */
  readonly #link: Fragment;
  readonly #ask: Assist;
  readonly #version = element("fields-version", HTMLSelectElement);
  readonly #search = element("fields-search", HTMLInputElement);
  readonly #view = new FieldTreeView({
    place: element("fields-tree", HTMLElement),
    open: ["spec"],
    details: (node) => this.#details(node),
    choose: (node) => this.#choose(node?.names ?? []),
  });
  #tree: FieldsResult | undefined;
  #root: FieldNode | undefined;
  #index: FieldSearch | undefined;

  constructor({ crd, crdIndex, kubernetes }: Scenario, link: Fragment, ask: Assist) {
    this.#crd = { crd, crdIndex, kubernetes };
    this.#link = link;
    this.#ask = ask;
    this.#version.addEventListener("change", () => void attempt(() => this.show({ version: this.#version.value, names: [] })));
    this.#search.addEventListener("input", afterPause(pause, () => this.#filter()));
    const sample = element("copy-sample", HTMLButtonElement);
    sample.addEventListener("click", () => void attempt(async () => copy(sample, await this.#sample([]))));
    bindOpening(this.#view);
  }

  /** Shows a version, and the field at a place. Without a version, it is the storage version. */
  async show({ version, names }: NonNullable<Fragment["field"]>): Promise<void> {
    const { fields: tree } = await this.#ask({ fields: { scenario: withoutDefaults({ ...emptyScenario, ...this.#crd }), version } });
    const root = treeOf(tree?.fields ?? []);
    if (!tree || !root) throw new Error("The CRD cannot be decoded. The playground shows the reason.");
    this.#tree = tree;
    this.#root = root;
    this.#index = new FieldSearch(root);
    this.#version.replaceChildren(...tree.versions.map((name) => new Option(name, name, false, name === tree.version)));
    element("fields-versions", HTMLElement).hidden = tree.versions.length < 2;
    element("kind", HTMLElement).textContent = root.field.name;
    document.title = `${root.field.name} · ${tree.group}/${tree.version} · crdlab`;
    showAbout(tree);
    element("fields", HTMLElement).hidden = false;
    say("");
    this.#filter();
    const known = nodeAt(root, names) ? names : [];
    if (known.length > 0) this.#view.reveal(known);
    if (version !== "") this.#choose(known);
  }

  /** Shows the fields that match the search, or all. */
  #filter(): void {
    const query = this.#search.value.trim();
    const found = query === "" ? undefined : this.#index?.search(query);
    this.#view.show(this.#root, found);
    element("fields-shown", HTMLElement).textContent = found ? foundSentence(found.matches.size, found.total) : allSentence(this.#tree);
  }

  /** Makes the address lead to a field. */
  #choose(names: readonly string[]): void {
    this.#view.mark(names.length > 0 ? names : undefined);
    showAddress(this.#fragment(names));
  }

  #fragment(names: readonly string[]): string {
    return formatFragment({ ...this.#link, panel: "schema", field: { version: this.#tree?.version ?? "", names } });
  }

  #details(node: FieldNode): HTMLElement {
    const { names } = node;
    if (names.length === 0) return bodyOf(node, ruleOf, []);
    const link = button("button", "Copy link", () => void copy(link, new URL(this.#fragment(names), location.href).href));
    const yaml = button("button", "Copy as YAML", () => void attempt(async () => copy(yaml, await this.#sample(names))));
    return bodyOf(node, ruleOf, [link, yaml]);
  }

  /** Returns an object with the required fields and the one with the given names. */
  async #sample(names: readonly string[]): Promise<string> {
    const version = this.#tree?.version ?? "";
    const { crd, crdIndex } = this.#crd;
    if (names.length === 0) return (await this.#ask({ sample: { crd, crdIndex, version } })).sample?.object ?? "";
    const { insert: insertion } = await this.#ask({ insert: { scenario: { crd, crdIndex }, version, field: names } });
    return insertion?.fix?.edits[0]?.newText ?? "";
  }
}

/** Lists what applies to all fields. */
function showAbout({ group, version, scope, shortNames }: FieldsResult): void {
  const rows = [["apiVersion", `${group}/${version}`], ["Scope", scope], ["Short names", shortNames.join(", ")]] as const;
  element("about", HTMLElement).replaceChildren(...rows.flatMap(([name, text]) => (text === "" ? [] : [make("dt", "", name), make("dd", "", text)])));
}

/** Renders a rule after its message. */
function ruleOf({ rule, message, messageExpression }: Rule): readonly HTMLElement[] {
  return [...(message === "" ? [] : [make("p", "", message)]), make("code", "", rule), ...(messageExpression === "" ? [] : [make("p", "quiet", `Message: ${messageExpression}`)])];
}

/** Binds the button that opens and closes all fields. Printing opens them. */
function bindOpening(view: FieldTreeView): void {
  const toggle = element("open-all", HTMLButtonElement);
  let close: (() => void) | undefined;
  toggle.addEventListener("click", () => {
    if (close) close();
    close = close ? undefined : view.openAll();
    toggle.ariaPressed = String(close !== undefined);
  });
  let restore = (): void => {};
  addEventListener("beforeprint", () => (restore = view.openAll()));
  addEventListener("afterprint", () => restore());
}

function showAddress(fragment: string): void {
  history.replaceState(history.state, "", `${location.pathname}${location.search}${fragment}`);
  element("playground", HTMLAnchorElement).hash = fragment;
}

function say(sentence: string): void {
  element("state", HTMLElement).textContent = sentence;
}

/** Shows the failure of a request. */
async function attempt(request: () => Promise<void>): Promise<void> {
  try {
    await request();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** Opens the scenario of the address or of the last session. */
async function openScenario(fragment: Fragment): Promise<Linked> {
  if (fragment.url) return { problem: "The address names files elsewhere. Open it in the playground, whose panel Schema leads back." };
  if (namesScenario(fragment)) return openLink(fragment, new Gallery(readConfig().examples, undefined));
  const stored = storedSession();
  return stored ? { scenario: stored.scenario } : {};
}

async function start(): Promise<void> {
  const fragment = parseFragment(location.hash);
  element("playground", HTMLAnchorElement).hash = location.hash || "#panel=schema";
  const { scenario, problem } = await openScenario(fragment);
  if (!scenario?.crd.trim()) {
    element("playground", HTMLAnchorElement).textContent = "Open the playground";
    say(problem ?? "There is no CRD yet. Paste one into the playground, and follow “Browse as documentation” in its panel Schema.");
    return;
  }
  const { started } = await import("./engine/started");
  if (!started) {
    say("This page needs WebAssembly. The playground shows the fields without it.");
    return;
  }
  started.watch((phase) => say(phase === "ready" ? "Reading the CRD…" : "Loading the engine…"));
  const { crd, crdIndex, kubernetes } = scenario;
  const { example, payload = await encode({ ...emptyScenario, crd, crdIndex, kubernetes }) } = fragment;
  const link = example ? { example } : payload.length > maxEncoded ? {} : { payload };
  showAddress(formatFragment({ ...link, panel: "schema", field: fragment.field }));
  await new Documentation(scenario, link, (request) => started.assist(request, totalTime)).show(fragment.field ?? { version: "", names: [] });
}

// The fragment is taken, so the link to the content cannot use it.
document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  element("playground", HTMLAnchorElement).focus();
});
addEventListener("hashchange", () => location.reload());
await attempt(start);
