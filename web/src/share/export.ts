import type { ExportResult } from "../api.gen";
import { element } from "../dom";
import type { Scenario } from "../scenario";
import type { Session } from "../session";
import { download } from "./download";

const fileName = "test.yaml";

/** Binds the button that downloads the documents as a test. */
export function bindExport(session: Session, write: (scenario: Scenario) => Promise<ExportResult | undefined>): void {
  const status = element("share-copied", HTMLElement);
  element("share-test", HTMLButtonElement).addEventListener("click", () => {
    const { scenario } = session.state;
    void write(scenario).then((file) => {
      if (!file || file.text === "") {
        status.textContent = "Add a CRD first.";
        return;
      }
      download(new Blob([file.text], { type: "application/yaml" }), fileName);
      status.textContent = describe(file, scenario);
    });
  });
}

function describe({ omitted, failures }: ExportResult, { kubernetes }: Scenario): string {
  const parts = [`Downloaded as ${fileName}.`];
  if (omitted.length > 0) parts.push(`A test cannot express: ${omitted.join(", ")}.`);
  const [first] = failures;
  if (first === undefined) parts.push(`Run it with crdlab test${kubernetes === "" ? "" : ` --kubernetes ${kubernetes}`} ${fileName}.`);
  else parts.push(`crdlab test does not pass on it: ${first}.`);
  return parts.join(" ");
}
