import { expect, type Page, test } from "./playground";

/**
 * Lists the visible controls of the page that are cut, stand outside of the window, overlap each other, or whose text
 * leaves their box.
 */
async function misplaced(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    interface Shown { element: HTMLElement; left: number; top: number; right: number; bottom: number; isFixed: boolean }
    const nameOf = (element: HTMLElement): string => element.id || element.getAttribute("aria-label") || element.textContent.trim().slice(0, 40) || element.className;
    const controls = [...document.querySelectorAll<HTMLElement>("button, select, input, a[href], summary, label")].filter((element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !element.closest(".editor, .visually-hidden") && element.getBoundingClientRect().width > 2);
    const faults = new Set<string>();
    const shown = controls.flatMap((element) => {
      const box = visiblePart(element);
      if (box.cut !== "") faults.add(`${nameOf(element)} is ${box.cut}`);
      // A long fix has its whole text in a title, and when its problem is unfolded.
      if (element.matches("label, button:not(.fix[title])") && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) faults.add(`the text of ${nameOf(element)} leaves its box`);
      return box.right - box.left > 2 && box.bottom - box.top > 2 ? [box] : [];
    });
    for (const [i, a] of shown.entries()) {
      for (const b of shown.slice(i + 1)) {
        // What sticks to the window covers what scrolls below it.
        if (a.element.contains(b.element) || b.element.contains(a.element) || a.isFixed !== b.isFixed) continue;
        const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
        if (width > 1 && height > 1) faults.add(`${nameOf(a.element)} and ${nameOf(b.element)} overlap`);
      }
    }
    return [...faults];

    /** Returns the part of a control that no box around it hides, and what a user cannot scroll to. */
    function visiblePart(element: HTMLElement): Shown & { cut: string } {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const part = { element, left, top, right, bottom, isFixed: false, cut: "" };
      let [scrollsX, scrollsY] = [false, document.documentElement.scrollHeight > innerHeight];
      for (let around: HTMLElement | null = element; around; around = around.parentElement) {
        const { overflowX, overflowY, position } = getComputedStyle(around);
        const box = around.getBoundingClientRect();
        if (around !== element && overflowX !== "visible") {
          [part.left, part.right] = [Math.max(part.left, box.left), Math.min(part.right, box.right)];
          scrollsX ||= overflowX === "auto" || overflowX === "scroll";
        }
        if (around !== element && overflowY !== "visible") {
          [part.top, part.bottom] = [Math.max(part.top, box.top), Math.min(part.bottom, box.bottom)];
          scrollsY ||= overflowY === "auto" || overflowY === "scroll";
        }
        part.isFixed ||= position === "fixed" || position === "sticky";
      }
      const outside = left < -1 || right > innerWidth + 1;
      if (!scrollsX && (outside || right - left > part.right - part.left + 1)) part.cut = outside ? "outside of the window" : "cut at its side";
      else if (!scrollsY && bottom - top > part.bottom - part.top + 1) part.cut = "cut below or above";
      return part;
    }
  });
}

/** Examples that show different controls. */
const scenes = ["crontab-validation", "admission-user", "union-go", "conversion-pizza"] as const;

for (const [width, height] of [[390, 844], [768, 1024], [900, 700], [1024, 768], [1280, 800], [1500, 900], [1920, 1080]] as const) {
  test(`${width} pixels wide, no control covers or cuts another`, async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width, height });
    for (const scene of scenes) {
      await playground.openExample(scene);
      await playground.settled();
      await page.locator("#request-options").evaluate((options: HTMLDetailsElement) => { options.open = true; });
      for (const operation of ["", "apply", "scale"]) {
        await page.locator("#operation").selectOption({ value: operation });
        await page.locator("#crd-operation").selectOption({ value: operation === "apply" ? "apply" : "" });
        await playground.settled();
        expect(await misplaced(page), `${scene} with the operation “${operation}”`).toEqual([]);
      }
    }
  });
}

// The examples have their first error in different documents, at a field, in a rule and in the syntax.
test("in a window of 1280×800, the first error, its place and its fix are in sight", async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const example of ["crontab-validation", "compile-no-field", "union-go", "apply-conflict", "admission-unknown-topping", "non-structural", "cost-refused", "conversion-failed"]) {
    await playground.openExample(example);
    await playground.settled();
    const problem = playground.problems().first();
    for (const part of [".problem-message", ".problem-actions .problem-place", ".problem-actions .fix"]) {
      const place = problem.locator(part).first();
      if ((await place.count()) > 0) await expect(place, `${part} of ${example}`).toBeInViewport({ ratio: 0.9 });
    }
    await problem.locator("summary.problem-line").click();
    await expect(problem.locator(".problem-message").first(), `the unfolded problem of ${example}`).toBeInViewport({ ratio: 0.9 });
    await expect(problem.locator(".problem-details > *").first(), `the details of ${example}`).toBeInViewport({ ratio: 0.5 });
  }
});
