import type { Answer } from "../api.gen";
import { type DocumentName, documentNames, type Scenario, withoutDefaults } from "../scenario";
import type { NamedText } from "./zip";

/** The file names of the documents, as in the gallery. */
const fileNames: Record<DocumentName, string> = {
  crd: "crd.yaml",
  go: "types.go",
  object: "object.yaml",
  oldCrd: "old-crd.yaml",
  oldObject: "old-object.yaml",
  conversion: "conversion.yaml",
  admission: "admission.yaml",
};

/** Returns the documents as files, and the options, if any, as JSON. */
export function filesOf(scenario: Scenario): readonly NamedText[] {
  const files = textsOf(scenario);
  const options = Object.entries(withoutDefaults(scenario)).filter(([name]) => !(name in fileNames));
  if (options.length === 0) return files;
  return [...files, ["scenario.json", `${JSON.stringify(Object.fromEntries(options), null, 2)}\n`]];
}

function textsOf(scenario: Scenario): readonly NamedText[] {
  return documentNames
    .filter((name) => scenario[name] !== "")
    .map((name): NamedText => [fileNames[name], scenario[name]]);
}

/** Formats the documents and the verdict as Markdown, for an issue. */
export function markdownOf(scenario: Scenario, answer: Answer | undefined, link: string): string {
  const parts = filesOf(scenario).map(([name, text]) => `\`${name}\`\n\n${codeBlock(text, name.slice(name.lastIndexOf(".") + 1))}`);
  if (answer) {
    const outputs = answer.outputs.map((output) => output.trimEnd()).filter((output) => output !== "");
    parts.push(`Result\n\n${codeBlock(`${outputs.join("\n\n")}\n`, "text")}`);
  }
  if (link !== "") parts.push(`[Open in crdlab](${link})`);
  return `${parts.join("\n\n")}\n`;
}

/** Creates a code block whose fence is longer than any in the content. */
function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.endsWith("\n") ? text : `${text}\n`}${fence}`;
}
