/** The time for which a button shows its outcome, in ms. */
const shown = 1500;

/** Binds the copy buttons in the results. */
export function bindCopyText(): void {
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element && target.closest<HTMLElement>("[data-copy-text]");
    if (button) void copy(button, textBeside(button));
  });
}

/** Copies a string, and shows the outcome on the button for a moment. */
export async function copy(button: HTMLElement, text: string): Promise<void> {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed";
  }
  setTimeout(() => {
    button.textContent = before;
  }, shown);
}

/** Returns the content of a figure, without an object's removed lines. */
function textBeside(button: HTMLElement): string {
  const figure = button.closest("figure, .yaml-figure");
  const lines = figure?.querySelectorAll(".yaml-line:not(.is-removed) > code");
  if (!lines?.length) return figure?.querySelector("pre")?.textContent ?? "";
  return [...lines].map(({ textContent }) => `${textContent}\n`).join("");
}
