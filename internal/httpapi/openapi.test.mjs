// The document is an OpenAPI 3.1 document, by the schema of OpenAPI itself.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";

const read = () => JSON.parse(readFileSync(new URL("openapi.json", import.meta.url), "utf8"));

test("the description of the API is an OpenAPI document", async () => {
  const validator = new Validator();
  assert.deepEqual((await validator.validate(read())).errors ?? [], []);
  assert.equal(validator.version, "3.1");
  validator.resolveRefs();
});

test("what is no OpenAPI document is found", async () => {
  const document = read();
  delete document.paths["/api/v1/share"].post.responses["201"].description;
  assert.equal((await new Validator().validate(document)).valid, false);
});
