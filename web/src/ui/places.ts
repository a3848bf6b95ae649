import type { Range } from "../api.gen";
import { type DocumentName, documentNames, isOneOf } from "../scenario";

/** A range in a document, from the data attributes of an element. */
export interface Place {
  readonly document: DocumentName;
  readonly range: Range;
}

export function placeOf(element: HTMLElement): Place | undefined {
  const { dataset } = element;
  const name = dataset["document"];
  if (!isOneOf(documentNames, name)) return undefined;
  const number = (key: string): number => Number(dataset[key]);
  const start = { line: number("line"), character: number("character") };
  const end = { line: number("endLine"), character: number("endCharacter") };
  return { document: name, range: { start, end } };
}

/** Binds every element with a place: a click opens it. */
export function bindPlaces(go: (place: Place) => void): void {
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const source = target.closest<HTMLElement>("[data-document]");
    const place = source && placeOf(source);
    if (place) go(place);
  });
}

/** Marks the elements whose place begins on the cursor's line. */
export function markPlacesAt(document_: DocumentName, line: number): void {
  for (const marked of document.querySelectorAll(".is-at-cursor")) {
    marked.classList.remove("is-at-cursor");
  }
  const here = `[data-document="${document_}"][data-line="${line}"]`;
  for (const element of document.querySelectorAll(here)) element.classList.add("is-at-cursor");
}
