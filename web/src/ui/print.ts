import { type DocumentName, documentNames } from "../scenario";
import type { Session } from "../session";

/**
 * Appends the whole documents to the page during printing, because the editors
 * contain only the visible lines.
 */
export function bindPrint(session: Session): void {
  const texts = document.createElement("section");
  texts.className = "print-documents";
  addEventListener("beforeprint", () => {
    const { scenario } = session.state;
    texts.replaceChildren(...documentNames.flatMap((name) => (scenario[name] === "" ? [] : elementsOf(name, scenario[name]))));
    document.body.append(texts);
  });
  addEventListener("afterprint", () => texts.remove());
}

function elementsOf(name: DocumentName, text: string): readonly HTMLElement[] {
  const title = document.createElement("h2");
  title.textContent = document.querySelector(`#document-${name} > .panel-title`)?.textContent ?? name;
  const pre = document.createElement("pre");
  pre.textContent = text;
  return [title, pre];
}
