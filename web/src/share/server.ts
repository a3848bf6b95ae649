import type { Scenario } from "../scenario";
import { filesOf } from "./documents";

/** A command line of Windows has at most 32 KiB. */
const longestLink = 30 << 10;

/** A command that starts an API server, and a sentence about its documents. */
export interface ServerCommand {
  readonly text: string;
  readonly about: string;
}

/**
 * Returns the command that starts an API server with the documents of a scenario, from a link that
 * contains them. link is empty if they are too large for one.
 */
export function serverCommand(scenario: Scenario, link: string): ServerCommand {
  const isUpdate = scenario.oldCrd !== "" || scenario.oldObject !== "";
  const isLink = link !== "" && link.length <= longestLink;
  // As the command reads a link.
  const wanted = [scenario.oldCrd === "" ? "crd.yaml" : "old-crd.yaml", isUpdate ? "old-object.yaml" : "object.yaml", "admission.yaml"];
  const files = filesOf(scenario).map(([name]) => name).filter((name) => wanted.includes(name));
  const release = scenario.kubernetes;
  const sentences = [
    release === "" ? "It explains what the server refuses or alters." : `The first start downloads the API server of Kubernetes ${release}.`,
    isLink ? "" : "Download the .zip first.",
    isUpdate ? "The server starts with the existing documents; apply the new ones with kubectl." : "",
  ];
  const flags = ["--keep-going", release === "" ? "--explain" : `--kubernetes ${release}`];
  if (scenario.fieldValidation !== "Strict") {
    flags.push(`--validate ${scenario.fieldValidation.toLowerCase()}`);
  }
  return {
    text: ["crdlab apiserver", ...flags, ...(isLink ? [`"${link}"`] : files)].join(" "),
    about: sentences.filter((sentence) => sentence !== "").join(" "),
  };
}
