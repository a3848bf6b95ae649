// The script of the pages beside the playground: the searches and the tour. It imports nothing that the
// playground imports, because a shared file would delay the start of the playground.
import "../../internal/site/styles.css";
import { bindDocumentSearch, load } from "./site-search";
import { markDone } from "./site-tour";

const search = document.querySelector<HTMLInputElement>("#search");
if (search) bindSearch(search);
const documents = document.querySelector<HTMLInputElement>("#search-docs");
if (documents) bindDocumentSearch(documents);
markDone([...document.querySelectorAll<HTMLElement>(".tour > li")]);
for (const code of document.querySelectorAll<HTMLElement>("pre.is-runnable")) offerRun(code);

/** Adds a button to code with a CRD. It shows the code in the playground. */
function offerRun(code: HTMLElement): void {
  const run = document.createElement("button");
  run.type = "button";
  run.className = "button";
  run.textContent = "Run";
  run.addEventListener("click", () => {
    run.disabled = true;
    run.textContent = "Starting the playground…";
    const playground = document.createElement("crd-lab");
    playground.addEventListener("started", () => run.remove());
    code.before(playground);
    playground.append(code);
    import(/* @vite-ignore */ new URL("../crd-lab.js", import.meta.url).href).catch(() => {
      run.textContent = "The playground cannot be loaded";
    });
  });
  code.after(run);
}

/** The API server's messages of each error page, with the verbs of Go's fmt. */
type Messages = Readonly<Record<string, readonly string[]>>;

/** Shows the search field, and only the entries that match it. */
function bindSearch(field: HTMLInputElement): void {
  const entries = [...document.querySelectorAll<HTMLElement>(".entries li")];
  const sections = [...document.querySelectorAll<HTMLElement>(".entries")];
  const nothing = document.querySelector<HTMLElement>("#nothing");
  let messages: Promise<Messages | undefined> | undefined;
  const show = async (): Promise<void> => {
    const query = field.value;
    if (query) messages ??= load<Messages>(field.dataset["index"] ?? "");
    const known = await messages;
    if (!known) messages = undefined; // The next key tries again.
    if (field.value !== query) return;
    const explained = entries.filter((entry) => messagesOf(entry, known ?? {}).some((parts) => isMessage(parts, query)));
    const found = explained.length > 0 ? explained : entries.filter((entry) => hasWords(entry, query));
    for (const entry of entries) entry.hidden = !found.includes(entry);
    for (const section of sections) section.hidden = section.querySelector("li:not([hidden])") === null;
    if (nothing) nothing.hidden = found.length > 0;
  };
  field.addEventListener("input", () => void show());
  field.parentElement?.removeAttribute("hidden");
  // A reload and the back button keep the text.
  void show();
}

/** Returns the messages of an entry, each as the parts between its placeholders. */
function messagesOf(entry: HTMLElement, known: Messages): string[][] {
  const shown = [...(entry.querySelector("code")?.childNodes ?? [])].filter((node) => node instanceof Text).map((node) => node.data.trim());
  const others = (known[entry.dataset["code"] ?? ""] ?? []).map((message) => message.split(/%[-+#.0-9]*[a-z]/).map((part) => part.trim()));
  return [shown, ...others.filter((parts) => parts.join("").length >= shortestMessage)];
}

/** The number of characters from which on a message is specific. */
const shortestMessage = 12;

/** Reports whether a query contains the parts of a message, in their order. */
function isMessage(parts: readonly string[], query: string): boolean {
  let at = 0;
  for (const part of parts) {
    const found = query.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** Reports whether an entry contains all words of a query. */
function hasWords(entry: HTMLElement, query: string): boolean {
  const text = `${entry.textContent} ${entry.dataset["words"] ?? ""}`.toLowerCase();
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
