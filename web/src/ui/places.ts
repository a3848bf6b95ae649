import type { Range } from "../api";
import { type DocumentName, documentNames, isOneOf } from "../scenario";
import { markLinesAt } from "./lines";

/** A stretch of a document, as the data attributes of an element name it. */
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

/** Makes every element that names a place lead there. */
export function bindPlaces(go: (place: Place) => void): void {
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const source = target.closest<HTMLElement>("[data-document]");
    const place = source && placeOf(source);
    if (place) go(place);
  });
}

/** Marks the elements whose place begins at the cursor's line. */
export function markPlacesAt(document_: DocumentName, line: number): void {
  for (const marked of document.querySelectorAll(".is-at-cursor")) {
    marked.classList.remove("is-at-cursor");
  }
  const here = `[data-document="${document_}"][data-line="${line}"]`;
  for (const element of document.querySelectorAll(here)) element.classList.add("is-at-cursor");
  if (document_ === "crd") markLinesAt(line);
}
