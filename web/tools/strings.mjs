// Prints the strings of the page's TypeScript that users can see, as JSON for
// internal/devtools/strings. They come from the syntax trees.
//
//   node strings.mjs > strings.json

import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { SyntaxKind } = ts;

/** Properties whose values users see, even single words. */
const shown = /^(textContent|title|placeholder|label|ariaLabel|info|detail|displayLabel|about|problem|notice)$/;

/** Calls whose arguments are names for programs. */
const machine = /^(querySelector|querySelectorAll|closest|matches|element|getItem|setItem|getElementById|postMessage|matchMedia|theme|startsWith|endsWith|includes|replace|replaceAll|match|test|RegExp|split|join|toggle|add|remove)$/;

const hasLetter = (text) => /\p{L}/u.test(text);

/** Reports whether a string has two words, one of them of letters. */
const hasWords = (text) => {
  const words = text.trim().split(/\s+/);
  return words.length > 1 && words.some((word) => /^\p{L}{2,}$/u.test(word.replace(/^["'(]+|[.,:;)"']+$/g, "")));
};

/** Returns a literal's string, with "…" for the expressions of a template, or undefined. */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined && right === undefined ? undefined : `${left ?? "…"}${right ?? "…"}`;
  }
  return undefined;
}

/** Returns the name of the property that a node is assigned to, or "". */
function propertyOf(node) {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.initializer === node) return parent.name.getText();
  if (ts.isBinaryExpression(parent) && parent.right === node && ts.isPropertyAccessExpression(parent.left)) return parent.left.name.text;
  if (ts.isConditionalExpression(parent)) return propertyOf(parent);
  return "";
}

function calleeOf(node) {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return "";
  return ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : node.expression.getText();
}

/** Lists the strings of a source file. */
export function stringsOf(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (machine.test(calleeOf(node))) {
      ts.forEachChild(node.expression, visit);
      return;
    }
    const text = textOf(node);
    if (text === undefined) return ts.forEachChild(node, visit);
    if (hasWords(text) || (shown.test(propertyOf(node)) && hasLetter(text))) {
      found.push({ path, line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
    }
    // The expressions of a template may have strings, too.
    if (!ts.isStringLiteral(node)) ts.forEachChild(node, (child) => (ts.isTemplateSpan(child) ? visit(child.expression) : undefined));
  };
  visit(file);
  return found;
}

function* sourcesBelow(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* sourcesBelow(path);
    else if (entry.name.endsWith(".ts") && !/\.(test|gen|d)\.ts$/.test(entry.name)) yield path;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const all = [...sourcesBelow(join(root, "web", "src"))].flatMap((path) => stringsOf(relative(root, path), readFileSync(path, "utf8")));
  console.log(JSON.stringify(all, null, 1));
}
