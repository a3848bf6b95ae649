// Applies the chosen theme before the first paint. It is loaded as a classic
// script, so it must neither import nor export; ui/theme.ts writes the key.
{
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem("crdlab.theme");
  } catch {
    // Storage may be forbidden; then the system's theme is used.
  }
  if (chosen === "light" || chosen === "dark") {
    document.documentElement.dataset["theme"] = chosen;
  }
}
