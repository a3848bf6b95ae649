import { isOneOf } from "../scenario";
import { element } from "../dom";
import { type Session, type Theme, themes } from "../session";
import { isFramed } from "../framed";
import { parseFragment } from "../share/fragment";
import { read, write } from "../local";

/** The storage key; src/theme.ts reads it before the first paint. */
const key = "crdlab.theme";

const names: Record<Theme, string> = {
  system: "system",
  light: "light",
  dark: "dark",
};

export function storedTheme(): Theme {
  const stored = isFramed ? parseFragment(location.hash).theme : read(key);
  return isOneOf(themes, stored) ? stored : "system";
}

/** Binds the button that cycles through the themes, and applies the session's theme. */
export function bindTheme(session: Session): void {
  const button = element("theme", HTMLButtonElement);
  button.addEventListener("click", () => {
    const next = themes[(themes.indexOf(session.state.theme) + 1) % themes.length] ?? "system";
    session.update({ theme: next });
    write(key, next);
  });
  const show = (theme: Theme): void => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    button.title = `Theme: ${names[theme]}`;
    button.setAttribute("aria-label", button.title);
  };
  show(session.state.theme);
  session.subscribe(({ theme }, previous) => {
    if (theme !== previous.theme) show(theme);
  });
  // A page around this one changes its theme.
  if (isFramed) addEventListener("hashchange", () => {
    if (parseFragment(location.hash).theme) session.update({ theme: storedTheme() });
  });
}
