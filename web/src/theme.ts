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
