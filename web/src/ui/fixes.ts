import type { Fix } from "../api";

/** Makes every button that holds a fix apply it. */
export function bindFixes(apply: (fix: Fix) => void): void {
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const fix = target.closest<HTMLElement>("[data-fix]")?.dataset["fix"];
    // The page's own templates wrote it.
    if (fix) apply(JSON.parse(fix) as Fix);
  });
}
