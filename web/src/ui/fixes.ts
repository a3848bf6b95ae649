import type { Fix } from "../api.gen";

/** Binds the buttons of quick fixes. */
export function bindFixes(apply: (fix: Fix) => void): void {
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const fix = target.closest<HTMLElement>("[data-fix]")?.dataset["fix"];
    // The page's own templates wrote the attribute.
    if (fix) apply(JSON.parse(fix) as Fix);
  });
}
