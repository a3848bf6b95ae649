/** How long a button says what came of it, in ms. */
const shown = 1500;

/** Makes the buttons in results copy the text beside them. */
export function bindCopyText(): void {
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element && target.closest<HTMLElement>("[data-copy-text]");
    if (button) void copyBeside(button);
  });
}

async function copyBeside(button: HTMLElement): Promise<void> {
  const text = textBeside(button);
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

/** The text of the figure; of an object's lines those that are not removed. */
function textBeside(button: HTMLElement): string {
  const figure = button.closest("figure, .yaml-figure");
  const lines = figure?.querySelectorAll(".yaml-line:not(.is-removed) > code");
  if (!lines?.length) return figure?.querySelector("pre")?.textContent ?? "";
  return [...lines].map(({ textContent }) => `${textContent}\n`).join("");
}
