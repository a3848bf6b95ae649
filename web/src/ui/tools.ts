import { element } from "../dom";
import type { Assistant } from "../engine/assistant";
import type { Session } from "../session";
import { documentFirst } from "./bundle";
import { moveFocus, placeBelow } from "./document-menu";
import type { Documents } from "./documents";

export interface Tools {
  readonly format: () => void;
}

/** Binds the tools that edit documents: samples, formatting, choosing a CRD. */
export function bindTools(session: Session, help: Assistant, documents: Documents): Tools {
  const format = (): void => void formatDocument(session, help, documents);
  element("format", HTMLButtonElement).addEventListener("click", format);
  const menu = element("sample-menu", HTMLElement);
  menu.addEventListener("beforetoggle", () => placeBelow(menu, element("sample-open", HTMLButtonElement)));
  menu.addEventListener("click", ({ target }) => {
    const kind = target instanceof Element && target.closest<HTMLElement>("[data-sample]")?.dataset["sample"];
    if (!kind) return;
    menu.hidePopover();
    void writeSample(session, help, documents, kind === "full");
  });
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moveFocus(menu, step);
  });
  bindCandidates(session, documents);
  return { format };
}

async function formatDocument(session: Session, help: Assistant, documents: Documents): Promise<void> {
  const { document: name, scenario } = session.state;
  const text = scenario[name];
  if (text.trim() === "") return;
  const formatted = await help.format(text);
  if (!formatted || session.state.scenario[name] !== text) return;
  if (formatted.text === "") {
    session.update({ notice: `The document cannot be formatted: ${formatted.problem}.` });
    documents.go({ document: name, range: formatted.range });
    return;
  }
  documents.rewrite(name, formatted.text);
  documents.focus(name);
}

async function writeSample(session: Session, help: Assistant, documents: Documents, full: boolean): Promise<void> {
  const sample = await help.sample(session.state.scenario.crd, full);
  if (!sample || sample.object === "") {
    session.update({ notice: "There is no CRD yet that a sample can be made of." });
    return;
  }
  documents.rewrite("object", sample.object);
  documents.focus("object");
}

/** Moves another CRD of the document to the front, where it is evaluated. */
function bindCandidates(session: Session, documents: Documents): void {
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-judge-lines]") : null;
    const lines = button?.dataset["judgeLines"]?.split("-").map(Number);
    if (!lines) return;
    const [start = 0, end = start] = lines;
    const range = { start: { line: start, character: 0 }, end: { line: end, character: 0 } };
    documents.rewrite("crd", documentFirst(session.state.scenario.crd, range));
  });
}
