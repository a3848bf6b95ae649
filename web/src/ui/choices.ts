import { isOneOf, validations } from "../contract";
import { element } from "../dom";
import type { Gallery } from "../gallery";
import type { Session } from "../session";
import { documentOf } from "../start";

/** The choices in the page's head: the example and the field validation. */
export function bindChoices(session: Session, gallery: Gallery): void {
  const example = element("example", HTMLSelectElement);
  const validation = element("validation", HTMLSelectElement);
  example.addEventListener("change", () => void choose(example.value));
  validation.addEventListener("change", () => {
    const { value } = validation;
    if (isOneOf(validations, value)) session.edit({ fieldValidation: value });
  });
  const note = element("example-note", HTMLElement);
  const show = (): void => {
    const { scenario } = session.state;
    const chosen = gallery.find(scenario);
    validation.value = scenario.fieldValidation;
    example.value = chosen?.id ?? "";
    note.textContent = chosen?.note ?? "";
    note.hidden = !chosen;
  };
  show();
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario) show();
  });

  async function choose(id: string): Promise<void> {
    if (id === "") return;
    try {
      const chosen = await gallery.get(id);
      if (!chosen) return;
      const { scenario } = chosen;
      session.update({ scenario, document: documentOf(scenario), notice: "" });
    } catch (error) {
      session.update({ notice: `The example cannot be loaded: ${String(error)}` });
    }
  }
}
