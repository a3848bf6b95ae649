// Runs from the repository's root: eslint -c web/tools/eslint.config.mjs.

import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import globals from "globals";
import tseslint from "typescript-eslint";

const root = new URL("../..", import.meta.url).pathname;

export default defineConfig(
  // Generated, or built. The test of the npm package compiles its types.
  globalIgnores(["dist/", "web/dist/", "web/src/api.gen.ts", "cmd/worker/built/", "wasm/npm/index.d.ts"]),
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  {
    rules: {
      // A leading underscore marks a property that a rest pattern leaves out, and a
      // Playwright fixture that a test needs only for its effects.
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // Playwright reads the names of the fixtures from the parameter's pattern.
      "no-empty-pattern": ["error", { allowObjectPatternsAsParameters: true }],
    },
  },
  { files: ["wasm/resume.js"], languageOptions: { globals: globals.worker, sourceType: "script" } },
  { files: ["wasm/npm/*.js"], languageOptions: { globals: { ...globals.worker, Worker: "readonly" } } },
  { files: ["**/*.mjs"], languageOptions: { globals: globals.nodeBuiltin } },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ["web/tsconfig.json", "web/flows/tsconfig.json", "web/src/offline/tsconfig.json", "web/tools/tsconfig.json", "editors/vscode/tsconfig.json"],
        tsconfigRootDir: root,
      },
    },
    rules: {
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      // A number reads in a sentence as it is written; the other types do not.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // "() => this.hide()" is the usual form of an event listener.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },
  {
    // As in the style sheets, sizes of text and distances come from the tokens.
    files: ["web/src/editor/**/*.ts"],
    rules: {
      "no-restricted-syntax": ["error", {
        selector: "Property[key.name=/^(fontSize|fontWeight|lineHeight|padding|margin|gap)/] > Literal[value=/[1-9]/]:not([value=/^(0|auto|var\\(--(size|weight|line|space)-[a-z0-9]+\\)| )+$/])",
        message: "Use the tokens of internal/ui/tokens.css.",
      }],
    },
  },
  {
    // A value that is missing in a test makes the test fail by itself.
    files: ["web/flows/**", "**/*.test.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/restrict-template-expressions": "off",
    },
  },
);
