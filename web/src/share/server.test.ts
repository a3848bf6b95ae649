import { expect, test } from "vitest";
import { emptyScenario } from "../scenario";
import { serverCommand } from "./server";

const command = "crdlab apiserver --keep-going --explain";
const explains = "It explains what the server refuses or alters.";
const scenario = { ...emptyScenario, crd: "a", object: "b", conversion: "c", admission: "d" };

test("the command has the link, or the files of a download", () => {
  expect(serverCommand(scenario, "https://example.com/#1=a")).toEqual({ text: `${command} "https://example.com/#1=a"`, about: explains });
  for (const link of ["", `https://example.com/#1=${"a".repeat(30 << 10)}`]) {
    expect(serverCommand(scenario, link)).toEqual({ text: `${command} crd.yaml object.yaml admission.yaml`, about: `${explains} Download the .zip first.` });
  }
  expect(serverCommand(emptyScenario, "").text).toBe(command);
});

test("the server has the release and the field validation of the page", () => {
  expect(serverCommand({ ...scenario, fieldValidation: "Warn" }, "").text).toBe(`${command} --validate warn crd.yaml object.yaml admission.yaml`);
  expect(serverCommand({ ...scenario, kubernetes: "1.34" }, "https://example.com/#1=a")).toEqual({
    text: 'crdlab apiserver --keep-going --kubernetes 1.34 "https://example.com/#1=a"',
    about: "The first start downloads the API server of Kubernetes 1.34.",
  });
});

test("the server of an update has the existing documents", () => {
  const about = `${explains} Download the .zip first. The server starts with the existing documents; apply the new ones with kubectl.`;
  expect(serverCommand({ ...scenario, oldCrd: "e", oldObject: "f" }, "")).toEqual({ text: `${command} old-crd.yaml old-object.yaml admission.yaml`, about });
  expect(serverCommand({ ...scenario, oldCrd: "e" }, "")).toEqual({ text: `${command} old-crd.yaml admission.yaml`, about });
  expect(serverCommand({ ...scenario, oldObject: "f" }, "").text).toBe(`${command} crd.yaml old-object.yaml admission.yaml`);
});
