import type { MissedChange } from "../api.gen";
import { element } from "../dom";
import { isRunning, summaryOf } from "../mutations";
import type { Session, SessionState } from "../session";
import { button, count, make, placeButton } from "./elements";

/** The number of changes in the list. */
const most = 100;

/** Shows the changes of constraints that no test notices. */
export function bindMutations(session: Session, find: () => void): void {
  const status = element("mutations-status", HTMLElement);
  const list = element("mutations-list", HTMLElement);
  const start = element("mutations-find", HTMLButtonElement);
  start.addEventListener("click", find);
  const show = (state: SessionState, previous?: SessionState): void => {
    const { mutations, scenario } = state;
    if (mutations === previous?.mutations && scenario === previous?.scenario) return;
    const isCurrent = mutations?.scenario === scenario;
    start.disabled = isRunning(state) || scenario.crd === "";
    status.textContent = mutations ? `${summaryOf(mutations)}${isCurrent ? "" : " The documents have changed since."}` : "";
    if (mutations?.missed === previous?.mutations?.missed && isCurrent === (previous?.mutations?.scenario === previous?.scenario)) return;
    list.replaceChildren(...(mutations?.missed ?? []).slice(0, most).map((missed) => rendered(missed, isCurrent)));
    const others = (mutations?.missed.length ?? 0) - most;
    if (others > 0) list.append(make("li", "quiet", `${count(others, "more change")}: crdlab test --mutate lists all of them.`));
  };
  show(session.state);
  session.subscribe(show);
}

function rendered({ document, range, change, excerpt, verdict, fix }: MissedChange, isCurrent: boolean): HTMLElement {
  const item = make("li");
  const leading = placeButton("goto", "", document, range);
  leading.append(make("code", "", change));
  item.append(
    make("span", "tag is-warning", "unnoticed"),
    leading,
    make("span", "problem-place", `${document === "crd" ? "" : "Admission, "}line ${range.start.line + 1}`),
    make("pre", "", excerpt),
    make("p", "tests-counts", verdict),
  );
  if (fix && isCurrent) {
    const add = button("fix", fix.title);
    add.dataset["fix"] = JSON.stringify(fix);
    item.append(add);
  }
  return item;
}
