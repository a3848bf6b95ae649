import type { Fix, GoProblem, Range } from "../api.gen";
import { element, write } from "../dom";
import { read, write as store } from "../local";
import { fixInGo, sourceOf, targetOf } from "../generated";
import type { Session, SessionState } from "../session";
import type { Documents } from "./documents";
import { button, count, make, placeButton } from "./elements";
import { placeOf } from "./places";

const conventionsKey = "crdlab.goConventions";

/** Reports whether the user wants notes on the conventions of the Kubernetes API. */
export const wantsConventions = (): boolean => element("go-conventions", HTMLInputElement).checked;

/** Binds the notes on the Go document and on the CRD that is generated from it. */
export function bindGo(session: Session, retry: () => void, documents: Documents): void {
  element("go-retry", HTMLButtonElement).addEventListener("click", retry);
  element("generated-show", HTMLButtonElement).addEventListener("click", () => {
    const range = sourceOf(session.state, documents.cursor("crd"));
    if (range) documents.go({ document: "go", range });
    else documents.focus("go");
  });
  element("generated-detach", HTMLButtonElement).addEventListener("click", () => {
    session.edit({ go: "" }, "opened");
    session.close("go");
    documents.focus("crd");
  });
  const conventions = element("go-conventions", HTMLInputElement);
  conventions.checked = read(conventionsKey) === "on";
  conventions.addEventListener("change", () => {
    store(conventionsKey, conventions.checked ? "on" : "off");
    retry();
  });
  showNotes(session.state);
  session.subscribe((state, previous) => {
    if (state.scenario.go === previous.scenario.go && state.generated === previous.generated && state.goTypes === previous.goTypes) return;
    showNotes(state);
    if (state.generated === previous.generated) return;
    showProblems(state.generated.problems);
    offerGo(state);
    showLine(state, documents);
  });
}

function showNotes(state: SessionState): void {
  const isGenerated = state.scenario.go !== "";
  write(element("generated-note", HTMLElement), { hidden: !isGenerated });
  element("panes", HTMLElement).toggleAttribute("data-generated", isGenerated);
  write(element("go-conventions-control", HTMLElement), { hidden: !isGenerated });
  const text = stateOf(state);
  write(element("go-note", HTMLElement), { hidden: text === "" });
  write(element("go-state", HTMLElement), { textContent: text, title: text });
  write(element("go-retry", HTMLButtonElement), { hidden: state.goTypes.at === "loading" || state.generated.fault === "" });
}

function stateOf({ goTypes: { at, part, because }, generated: { go, crd, fault } }: SessionState): string {
  if (at === "loading") return part < 1 ? `Loading Go types: ${Math.floor(part * 100)} %` : "Starting Go types…";
  if (at === "failed") return `Go types could not be loaded: ${because}.`;
  if (fault !== "") return fault;
  return go.trim() !== "" && crd === "" ? "These types generate no CRD. The last CRD stays." : "";
}

function showProblems(problems: readonly GoProblem[]): void {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.filter(({ severity }) => severity === "warning").length;
  const notes = problems.length - errors - warnings;
  const counts = ([[errors, "error"], [warnings, "warning"], [notes, "note"]] as const).filter(([n]) => n > 0).map(([n, noun]) => count(n, noun));
  const list = make("ol", "problem-list");
  const rank = ({ severity }: GoProblem): number => ["error", "warning"].indexOf(severity) + 1 || 3;
  list.append(...problems.toSorted((a, b) => rank(a) - rank(b)).map(problemRow));
  const parts = problems.length > 0 ? [make("h2", "problems-head", `Go: ${counts.join(" · ")}`), list] : [];
  element("go-problems", HTMLElement).replaceChildren(...parts);
  // Mistakes in Go precede their possible consequences; mere notes come last.
  const ofGo = element("of-go", HTMLElement);
  const isFirst = ofGo.parentElement?.firstElementChild === ofGo;
  const isMistaken = errors + warnings > 0;
  if (isFirst !== isMistaken) ofGo.parentElement?.[isMistaken ? "prepend" : "append"](ofGo);
  const [number = "", noun = ""] = (counts[0] ?? "").split(" ");
  const shown = make("span", `count is-${errors > 0 ? "error" : "warning"}`, number);
  shown.append(make("span", "visually-hidden", ` ${noun}`));
  element("go-count", HTMLElement).replaceChildren(...(errors + warnings > 0 ? [shown] : []));
}

/** Renders a problem like a problem of another document. */
function problemRow({ range, severity, message, hint, fixes }: GoProblem): HTMLElement {
  const row = make("li", `problem is-${severity}`);
  const line = make("div", "problem-line");
  const words = make("span", "problem-message", message);
  if (hint !== "") words.append(make("span", "quiet", ` ${hint}`));
  line.append(make("span", "dot"), make("span", "visually-hidden", `${severity === "info" ? "note" : severity}: `), words);
  const actions = make("span", "problem-actions");
  actions.append(goButton(range), ...fixes.map((fix) => fixButton(fix)));
  row.append(line, actions);
  return row;
}

function fixButton(fix: Fix, className = ""): HTMLElement {
  const made = button(`fix ${className}`.trim(), fix.title);
  made.dataset["fix"] = JSON.stringify(fix);
  return made;
}

/** Offers the Go source beside each place in the generated CRD, and the fixes in Go beside the fixes of the CRD. */
export function offerGo(state: SessionState): void {
  for (const offered of document.querySelectorAll(".from-go")) offered.remove();
  for (const toCrd of document.querySelectorAll<HTMLElement>(".problem .goto[data-document=crd]")) {
    const place = placeOf(toCrd);
    const source = place && sourceOf(state, place.range.start);
    if (source) toCrd.after(goButton(source, "from-go"));
  }
  if (state.generated.translated.size === 0) return;
  for (const ofCrd of document.querySelectorAll<HTMLElement>(".problem .fix[data-fix]")) {
    // The templates or this module wrote the attribute.
    const fix = fixInGo(state.generated, JSON.parse(ofCrd.dataset["fix"] ?? "") as Fix);
    if (fix) ofCrd.after(fixButton(fix, "from-go"));
  }
}

/** Shows the part of the CRD that belongs to the caret in Go. */
export function showLine(state: SessionState, documents: Documents): void {
  const line = element("go-line", HTMLElement);
  const range = targetOf(state, documents.cursor("go"));
  if (!range) {
    line.replaceChildren(make("span", "explain-hint", "Place the caret on a field or a marker to find it in the CRD."));
    return;
  }
  const show = button("explain-title", "Show in CRD", () => documents.go({ document: "crd", range }));
  const text = state.scenario.crd.split("\n")[range.start.line] ?? "";
  line.replaceChildren(show, make("span", "quiet", `line ${range.start.line + 1}: ${text.trim()}`));
}

/** Makes a button that shows a range of the Go document. */
function goButton(range: Range, className = ""): HTMLElement {
  return placeButton(`goto problem-place ${className}`.trim(), `Go ${range.start.line + 1}:${range.start.character + 1}`, "go", range);
}
