// The tour's page. The playground keeps the steps that are done.

/** Marks the steps that are done. */
export function markDone(steps: readonly HTMLElement[]): void {
  const done = storedSteps();
  for (const [i, step] of steps.entries()) {
    if (!done.includes(i + 1)) continue;
    const mark = document.createElement("small");
    mark.className = "is-accepted";
    mark.textContent = " Done";
    step.querySelector("h2")?.append(mark);
  }
}

function storedSteps(): readonly unknown[] {
  try {
    const steps: unknown = JSON.parse(localStorage.getItem("crdlab.tour") ?? "[]");
    return Array.isArray(steps) ? steps : [];
  } catch {
    return []; // Without storage, no step is known to be done.
  }
}
