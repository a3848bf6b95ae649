import { element } from "../dom";

/** The minimum number of rules for a filter. */
const fewestRules = 8;

/** Hides the rules that do not match the filter's words and outcome. */
export function applyRuleFilter(): void {
  const rules = [...document.querySelectorAll<HTMLElement>("[data-rule]")];
  element("rule-filter", HTMLElement).hidden = rules.length < fewestRules;
  const words = element("rule-search", HTMLInputElement).value.toLowerCase().split(/\s+/);
  const outcomes = element("rule-outcome", HTMLSelectElement).value;
  let shown = 0;
  for (const rule of rules) {
    const text = rule.textContent.toLowerCase();
    const outcome = rule.dataset["rule"] ?? "";
    const wanted =
      words.every((word) => text.includes(word)) &&
      (outcomes === "" || outcomes.split(" ").includes(outcome));
    rule.hidden = !wanted;
    if (wanted) shown++;
  }
  element("rule-shown", HTMLElement).textContent =
    shown === rules.length ? "" : `${shown} of ${rules.length}`;
}

export function bindRuleFilter(): void {
  element("rule-search", HTMLInputElement).addEventListener("input", applyRuleFilter);
  element("rule-outcome", HTMLSelectElement).addEventListener("change", applyRuleFilter);
}
