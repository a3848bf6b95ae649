// Validates openapi.json against the schema of OpenAPI 3.1.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";

const read = () => JSON.parse(readFileSync(new URL("openapi.json", import.meta.url), "utf8"));

test("openapi.json is a valid OpenAPI document", async () => {
  const validator = new Validator();
  assert.deepEqual((await validator.validate(read())).errors ?? [], []);
  assert.equal(validator.version, "3.1");
  validator.resolveRefs();
});

test("an invalid document is rejected", async () => {
  const document = read();
  delete document.paths["/api/v1/share"].post.responses["201"].description;
  assert.equal((await new Validator().validate(document)).valid, false);
});
