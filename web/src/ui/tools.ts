import { element, write } from "../dom";
import type { Assistant } from "../engine/assistant";
import type { Session, SessionState } from "../session";
import { download } from "../share/download";
import { moveFocus, placeBelow } from "./document-menu";
import type { Documents } from "./documents";

export interface Tools {
  readonly format: () => void;
}

/** Binds the tools that edit documents: samples, formatting, choosing a CRD. */
export function bindTools(session: Session, assistant: Assistant, documents: Documents): Tools {
  const format = (): void => void formatDocument(session, assistant, documents);
  element("format", HTMLButtonElement).addEventListener("click", format);
  const menu = element("sample-menu", HTMLElement);
  menu.addEventListener("beforetoggle", () => placeBelow(menu, element("sample-open", HTMLButtonElement)));
  document.addEventListener("click", ({ target }) => {
    const kind = target instanceof Element && target.closest<HTMLElement>("[data-sample]")?.dataset["sample"];
    if (!kind) return;
    menu.hidePopover();
    void writeSample(session, assistant, documents, kind === "full");
  });
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moveFocus(menu, step);
  });
  bindPaste(session, documents);
  bindTemplates(session, assistant, documents);
  bindWitnesses(session, documents);
  bindJSONSchemas(session, assistant);
  return { format };
}

/** Binds the button that leads a visitor from an example to an own CRD. */
function bindPaste(session: Session, documents: Documents): void {
  const button = element("crd-paste", HTMLButtonElement);
  button.addEventListener("click", () => {
    documents.select("crd");
    session.update({ notice: "Now paste your CRD: Ctrl V, or ⌘ V on a Mac. Undo brings the example back." });
  });
  const show = ({ example }: SessionState): void => write(button, { hidden: !example || example.aside !== undefined });
  show(session.state);
  session.subscribe(show);
}

async function formatDocument(session: Session, assistant: Assistant, documents: Documents): Promise<void> {
  const { document: name, scenario } = session.state;
  const text = scenario[name];
  if (text.trim() === "" || name === "go") return;
  const formatted = await assistant.format(text);
  if (!formatted || session.state.scenario[name] !== text) return;
  if (formatted.text === "") {
    session.update({ notice: `The document cannot be formatted: ${formatted.problem}.` });
    documents.go({ document: name, range: formatted.range });
    return;
  }
  documents.rewrite(name, formatted.text);
  documents.focus(name);
}

async function writeSample(session: Session, assistant: Assistant, documents: Documents, full: boolean): Promise<void> {
  const sample = await assistant.sample(session.state.scenario, full);
  if (session.state.engine.at === "withheld") return;
  if (!sample || sample.object === "") {
    session.update({ notice: "Add a valid CRD first." });
    return;
  }
  documents.rewrite("object", sample.object);
  documents.focus("object");
}

/** Opens a document and, if it is empty, fills it with a template for the CRD. */
function bindTemplates(session: Session, assistant: Assistant, documents: Documents): void {
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-template]") : null;
    const name = button?.dataset["template"];
    if (name !== "conversion" && name !== "admission") return;
    button?.closest<HTMLElement>("[popover]")?.hidePopover();
    void writeTemplate(session, assistant, documents, name);
  });
}

async function writeTemplate(session: Session, assistant: Assistant, documents: Documents, name: "conversion" | "admission"): Promise<void> {
  documents.focus(name);
  const isEmpty = (): boolean => session.state.scenario[name] === "";
  if (!isEmpty()) return;
  const template = await assistant.template(session.state.scenario.crd, name);
  if (session.state.engine.at === "withheld" || !isEmpty()) return;
  if (!template || template.text === "") session.update({ notice: "Add a valid CRD first." });
  else documents.rewrite(name, template.text);
}

/** Binds the buttons that download the JSON Schema of a version. */
function bindJSONSchemas(session: Session, assistant: Assistant): void {
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-json-schema]") : null;
    const { jsonSchema: version, strict } = button?.dataset ?? {};
    if (version === undefined) return;
    void assistant.publish(session.state.scenario, version, strict !== undefined).then((schema) => {
      const name = schema?.name.replace(/.*\//, "");
      if (schema && name) download(new Blob([schema.text], { type: "application/schema+json" }), name);
      else session.update({ notice: "The JSON Schema could not be written. Try again." });
    });
  });
}

/**
 * Opens the example of a breaking change as the object of the request in which the new CRD breaks
 * it: a create. The history keeps the present documents, and the existing object of its name.
 */
function bindWitnesses(session: Session, documents: Documents): void {
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-witness]") : null;
    const object = button?.dataset["witness"];
    if (object === undefined) return;
    const { oldObject } = session.state.scenario;
    const name = /^ {2}name: (.*)$/m.exec(object)?.[1] ?? "";
    const exists = name !== "" && oldObject.includes(name);
    documents.open("object", object, { operation: "create", force: false, replicas: 0, ...(exists ? { oldObject: "" } : {}) });
  });
}
