import assert from "node:assert/strict";
import test from "node:test";
import { stringsOf } from "./strings.mjs";

const source = `
import { element } from "./dom of the page";
type Kind = "not for users" | "neither";
const notice = (name: string) => \`The file \${name} cannot be \${name === "" ? "read at all" : "opened"}.\`;
button.textContent = isBusy ? "Wait" : "Open";
button.className = "is-primary";
document.querySelector("main > section p");
throw new Error("There is no result. " + reason);
show({ title: "Rules", id: "rules" });
`;

test("lists the strings that users can see, and no names for programs", () => {
  assert.deepEqual(stringsOf("a.ts", source).map(({ line, text }) => [line, text]), [
    [4, "The file … cannot be …."],
    [4, "read at all"],
    [5, "Wait"],
    [5, "Open"],
    [8, "There is no result. …"],
    [9, "Rules"],
  ]);
});
