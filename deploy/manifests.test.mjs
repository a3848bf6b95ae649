// Validates the output of kustomize against the OpenAPI schemas of Kubernetes: types,
// required fields, values and patterns. deploy_test.go checks unknown fields and the
// relations between manifests.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { parseAllDocuments } from "yaml";

/** Throws if the manifest violates the schema of its kind. */
async function validate(manifest) {
  // Kustomize wraps long base64 values. Kubernetes accepts them, the validator does not.
  for (const name of Object.keys(manifest.data ?? {})) manifest.data[name] = manifest.data[name].replace(/\s/g, "");
  const { [manifest.kind]: Model } = await import(`kubernetes-models/${manifest.apiVersion}`);
  new Model(manifest).validate();
}

suite("the manifests", () => {
  let copy;
  before(() => {
    copy = mkdtempSync(join(tmpdir(), "crdlab-deploy-"));
    cpSync(import.meta.dirname, copy, { recursive: true });
    copyFileSync(join(copy, "postgresql", "store.env.example"), join(copy, "postgresql", "store.env"));
    for (const name of ["tls.crt", "tls.key"]) writeFileSync(join(copy, "postgresql", name), name);
  });
  after(() => rmSync(copy, { recursive: true }));

  for (const [directory, count] of Object.entries({ base: 6, file: 5, postgresql: 11 })) {
    test(`in ${directory} are valid`, async () => {
      const built = execFileSync(process.env.KUSTOMIZE, ["build", join(copy, directory)], { encoding: "utf8" });
      const manifests = parseAllDocuments(built).map((document) => document.toJS());
      assert.equal(manifests.length, count);
      for (const manifest of manifests) await validate(manifest);
    });
  }

  test("are rejected if invalid", async () => {
    const deployment = (spec) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec });
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } };
    await validate(deployment({ selector: { matchLabels: { a: "b" } }, template }));
    await assert.rejects(validate(deployment({ template })), /selector/);
    await assert.rejects(validate(deployment({ selector: {}, template, replicas: "two" })), /replicas/);
    await assert.rejects(validate(deployment({ selector: {}, template: { spec: { containers: [{ image: "a" }] } } })), /name/);
  });
});
