import { isOneOf } from "../scenario";
import { element } from "../dom";
import { type Session, type Theme, themes } from "../session";
import { read, write } from "../storage";

/** The key that theme.ts, the script before the first paint, reads. */
const key = "crdlab.theme";

const names: Record<Theme, string> = {
  system: "as the system",
  light: "light",
  dark: "dark",
};

export function storedTheme(): Theme {
  const stored = read(key);
  return isOneOf(themes, stored) ? stored : "system";
}

/** Makes the button go round the themes, and shows the session's. */
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
}
