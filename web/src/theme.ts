// Applies the chosen theme, or the theme in the address of a frame, before the first paint. The page loads it as a classic
// script, so it must not import or export anything. ui/theme.ts writes the key.
{
  let chosen: string | null | undefined;
  if (self !== top) {
    document.documentElement.dataset["framed"] = "";
    chosen = /[#&]theme=([a-z]+)/.exec(location.hash)?.[1];
  } else {
    try {
      chosen = localStorage.getItem("crdlab.theme");
    } catch {
      // Storage may be forbidden; the system's theme applies then.
    }
  }
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.dataset["theme"] = chosen;
  }
}

// The page binds its buttons once its script and its documents are loaded. It then repeats the last click before.
{
  let early: HTMLElement | null | undefined;
  const remember = ({ target }: Event): void => {
    early = target instanceof Element ? target.closest<HTMLElement>("button[type=button]:not([popovertarget])") : undefined;
  };
  document.addEventListener("click", remember, true);
  document.addEventListener("crdlab-bound", () => {
    document.removeEventListener("click", remember, true);
    early?.click();
  }, { once: true });
}
