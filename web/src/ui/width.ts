/** The windows that stack the parts of the page, as in page.css. */
const stacked = matchMedia("(width < 900px)");

/** Reports whether the window is so narrow that it stacks the parts of the page. */
export function isStacked(): boolean {
  return stacked.matches;
}

/** Calls the listener when the parts of the page are stacked or placed side by side. */
export function onStacked(listener: () => void): void {
  stacked.addEventListener("change", listener);
}
