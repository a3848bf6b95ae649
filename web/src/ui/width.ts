/** The windows that stack the parts of the page, as in page.css. */
const stacked = matchMedia("(width < 900px)");

/** Reports whether the window is so narrow that it stacks the parts of the page. */
export function isStacked(): boolean {
  return stacked.matches;
}

/** The windows that have room for two documents in the pane of the CRD, as in document_pane.css. */
const roomy = matchMedia("(width >= 1280px)");

/** Reports whether the Go types and their CRD stand side by side. */
export function hasColumns(): boolean {
  return roomy.matches;
}

/** Calls the listener when the window gets another number of columns. */
export function onColumns(listener: () => void): void {
  stacked.addEventListener("change", listener);
  roomy.addEventListener("change", listener);
}
