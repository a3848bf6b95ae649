import { type DocumentName, documentNames } from "../scenario";
import { element, write } from "../dom";
import { fetchedOf } from "../remote/source";
import type { Session, SessionState } from "../session";

const names: Record<DocumentName, string> = {
  crd: "CRD",
  go: "Go types",
  object: "objects",
  oldCrd: "previous CRD",
  oldObject: "existing objects",
  conversion: "conversion",
  admission: "admission",
};

/** Shows a pending download, and the source of unedited documents. */
export function bindSourceNote(session: Session): void {
  const note = element("source-note", HTMLElement);
  const about = element("source-about", HTMLElement);
  const link = element("source-link", HTMLAnchorElement);
  const others = document.createElement("span");
  link.after(others);
  const show = (state: SessionState): void => {
    const { source } = state;
    const fetched = fetchedOf(state);
    write(note, { hidden: source.at !== "fetching" && !fetched });
    write(about, { textContent: fetched ? `${namesOf(fetched.texts)} from` : "Fetching" });
    const address = fetched?.address ?? (source.at === "fetching" ? source.address : "");
    const [first = "", ...more] = address.split("\n");
    write(link, { textContent: first });
    write(link, { title: address });
    write(others, { textContent: [
      more.length > 0 ? ` and ${more.length} more ${more.length === 1 ? "file" : "files"}` : "",
      fetched?.since ? `, changed since your visit on ${fetched.since}` : "",
    ].join("") });
    if (fetched) link.href = /^https:\/\//i.test(first) ? first : `https://${first}`;
    else link.removeAttribute("href");
  };
  show(session.state);
  session.subscribe((state, previous) => {
    if (state.source !== previous.source || state.scenario !== previous.scenario) show(state);
  });
}

function namesOf(texts: Partial<Record<DocumentName, string>>): string {
  const listed = documentNames.filter((name) => texts[name] !== undefined).map((name) => names[name]).join(" and ");
  return listed.charAt(0).toUpperCase() + listed.slice(1);
}
