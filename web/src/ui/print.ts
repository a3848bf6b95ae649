import { type DocumentName, documentNames } from "../scenario";
import type { Session } from "../session";

/**
 * Completes the page during printing. The verdict and the options of the request precede the rest, and the
 * whole documents follow it, because the editors contain only the visible lines. The details of the problems open.
 */
export function bindPrint(session: Session): void {
  const head = createSection("print-head");
  const texts = createSection("print-documents");
  const opened = new Set<HTMLDetailsElement>();
  const complete = (): void => {
    const { scenario } = session.state;
    head.replaceChildren(verdict(), options());
    document.getElementById("panes")?.prepend(head);
    texts.replaceChildren(...documentNames.flatMap((name) => (scenario[name] === "" ? [] : elementsOf(name, scenario[name]))));
    document.querySelector(".page-footer")?.before(texts);
    for (const details of document.querySelectorAll<HTMLDetailsElement>(".problem > details:not([open])")) {
      details.open = true;
      opened.add(details);
    }
  };
  const restore = (): void => {
    head.remove();
    texts.remove();
    for (const details of opened) details.open = false;
    opened.clear();
  };
  addEventListener("beforeprint", complete);
  addEventListener("afterprint", restore);
  // A browser that shows the page as on paper sends no event.
  matchMedia("print").addEventListener("change", ({ matches }) => {
    if (matches) complete();
    else restore();
  });
}

function createSection(className: string): HTMLElement {
  const section = document.createElement("section");
  section.className = className;
  return section;
}

/** Copies the line of the verdict, which is a link in the page. */
function verdict(): HTMLElement {
  const line = document.createElement("div");
  line.className = "brief";
  line.append(...[...document.querySelectorAll("a.brief > *")].map((part) => part.cloneNode(true)));
  return line;
}

/** Lists the options of the request, as the visible controls show them. */
function options(): HTMLElement {
  const list = document.createElement("p");
  list.className = "print-options";
  for (const control of document.querySelectorAll<HTMLElement>(".request label")) {
    const text = control.closest("[hidden]") ? "" : optionOf(control);
    if (text === "") continue;
    const option = list.appendChild(document.createElement("code"));
    option.textContent = text;
    list.append(" ");
  }
  return list;
}

/** Returns the label and the value of a control; empty for a box that is not checked. */
function optionOf(control: HTMLElement): string {
  const label = control.querySelector(".control-label, .visually-hidden")?.textContent ?? "";
  const input = control.querySelector("select, input");
  if (input instanceof HTMLSelectElement) return labelled(label, input.selectedOptions[0]?.text.replace(/^CRD:? /, "") ?? "");
  if (!(input instanceof HTMLInputElement)) return "";
  if (input.type === "checkbox") return input.checked ? label : "";
  return labelled(label, input.value || input.placeholder);
}

function labelled(label: string, value: string): string {
  return label.endsWith("=") ? `${label}${value}` : `${label}: ${value}`;
}

function elementsOf(name: DocumentName, text: string): readonly HTMLElement[] {
  const title = document.createElement("h2");
  title.textContent = document.querySelector(`#document-${name} > .panel-title`)?.textContent ?? name;
  const pre = document.createElement("pre");
  pre.textContent = text;
  return [title, pre];
}
