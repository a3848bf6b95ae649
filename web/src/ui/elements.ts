// Elements that the page makes itself. The engine renders most others.
import type { Range } from "../api.gen";
import type { DocumentName } from "../scenario";

export function make(tag: string, className = "", text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (text !== "") made.textContent = text;
  return made;
}

export function button(className: string, label: string, follow?: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = className;
  made.textContent = label;
  if (follow) made.addEventListener("click", follow);
  return made;
}

/** Makes a button that shows a range of a document, see bindPlaces. */
export function placeButton(className: string, label: string, name: DocumentName, { start, end }: Range): HTMLButtonElement {
  const made = button(className, label);
  Object.assign(made.dataset, {
    document: name, line: start.line, character: start.character, endLine: end.line, endCharacter: end.character,
  });
  return made;
}

export function count(n: number, noun: string): string {
  return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
}
