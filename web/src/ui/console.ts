import type { Position, Expression, TryResult } from "../api.gen";
import { withoutDefaults } from "../scenario";
import { element } from "../dom";
import { ExpressionEditor } from "../editor/expression";
import type { Assistant, Stopped } from "../engine/assistant";
import type { ConsoleState, Session, SessionState } from "../session";
import { throttle } from "../throttle";
import { renderTried, summarizeTried } from "./tried";

/** The idle time before a result is announced to screen readers, in ms. */
const pause = 900;

/** The console, which evaluates an expression at a node of an object after each edit. */
export class Console {
  readonly #session: Session;
  readonly #assistant: Assistant;
  readonly #cursor: () => Position;
  readonly #box = element("console", HTMLDetailsElement);
  readonly #path = element("console-path", HTMLInputElement);
  readonly #object = element("console-object", HTMLSelectElement);
  #editor: ExpressionEditor | undefined;
  #saying = 0;

  /** cursor returns the position of the cursor in the object. */
  constructor(session: Session, assistant: Assistant, cursor: () => Position) {
    this.#session = session;
    this.#assistant = assistant;
    this.#cursor = cursor;
    this.#box.hidden = false;
    this.#box.open = session.state.console.isOpen;
    this.#box.addEventListener("toggle", () => this.#change({ isOpen: this.#box.open }));
    this.#path.value = session.state.console.path;
    this.#path.addEventListener("input", () => this.#change({ path: this.#path.value.trim() }));
    this.#object.addEventListener("change", () => this.#change({ object: this.#object.selectedIndex }));
    element("console-cursor", HTMLButtonElement).addEventListener("click", () => void this.#takeCursor());
    document.addEventListener("click", ({ target }) => {
      const from = target instanceof Element ? target.closest<HTMLElement>("[data-try]") : null;
      if (from) this.#take(trialOf(from));
    });
    const soon = throttle(15, () => void this.#try());
    session.subscribe((state, previous) => {
      if (state.console !== previous.console) this.#show(state.console);
      if (isShown(state) && (state.console !== previous.console || state.answer !== previous.answer || !isShown(previous))) soon();
    });
    if (isShown(session.state)) this.#show(session.state.console);
  }

  /** Opens the console and focuses its editor. */
  focus(): void {
    this.#session.update({ panel: "rules" });
    this.#change({ isOpen: true });
    this.#editor?.focus();
    this.#box.scrollIntoView({ block: "nearest" });
  }

  #change(change: Partial<ConsoleState>): void {
    const { console } = this.#session.state;
    const next = { ...console, ...change };
    if (Object.entries(change).some(([name, value]) => console[name as keyof ConsoleState] !== value)) {
      this.#session.update({ console: next });
    }
  }

  #take(trial: Expression): void {
    this.#change({ ...trial, isOpen: true });
    this.focus();
  }

  async #takeCursor(): Promise<void> {
    const { scenario, console } = this.#session.state;
    const trial = trialFrom(console);
    const tried = await this.#assistant.try({ scenario: withoutDefaults(scenario), trial, position: this.#cursor() });
    if (tried && !("seconds" in tried)) this.#change({ path: tried.path, object: tried.object });
  }

  #show({ isOpen, expression, path }: ConsoleState): void {
    this.#box.open = isOpen;
    if (!isOpen) return;
    if (this.#path.value.trim() !== path) this.#path.value = path;
    this.#editor ??= this.#create(expression);
    this.#editor.setText(expression);
  }

  #create(text: string): ExpressionEditor {
    const cursor = (position: Position) => ({
      scenario: withoutDefaults(this.#session.state.scenario),
      position,
      trial: trialFrom(this.#session.state.console),
    });
    return new ExpressionEditor({
      place: element("console-editor", HTMLElement),
      label: "CEL expression",
      hint: "self.spec.replicas <= 10",
      text,
      writing: {
        complete: (position) => this.#assistant.complete(cursor(position)),
        hover: (position) => this.#assistant.hover(cursor(position)),
      },
      onEdit: (expression) => this.#change({ expression }),
    });
  }

  async #try(): Promise<void> {
    const { scenario, console } = this.#session.state;
    const trial = trialFrom(console);
    const tried = await this.#assistant.try({ scenario: withoutDefaults(scenario), trial });
    if (tried) this.#showTried(tried);
  }

  #showTried(tried: TryResult | Stopped): void {
    const elements = renderTried(tried, (range) => this.#editor?.select(range));
    element("console-result", HTMLElement).replaceChildren(...elements);
    clearTimeout(this.#saying);
    this.#saying = window.setTimeout(() => {
      element("console-said", HTMLElement).textContent = summarizeTried(tried);
    }, pause);
    if ("seconds" in tried) return;
    this.#editor?.showErrors(tried.errors);
    offer(element("console-paths", HTMLDataListElement), tried.paths);
    offer(this.#object, tried.objects);
    this.#object.selectedIndex = tried.object;
    this.#object.hidden = tried.objects.length < 2;
  }
}

/** Reports whether the console's result is visible. */
function isShown({ panel, console }: SessionState): boolean {
  return panel === "rules" && console.isOpen;
}

function trialFrom({ expression, object, path }: ConsoleState): Expression {
  return { expression, object, path };
}

/** Reads the rule beside a button, and the node from its data attributes. */
function trialOf(button: HTMLElement): Expression {
  const { try: path = "", object } = button.dataset;
  const expression = button.closest(".rule")?.querySelector(".rule-text")?.textContent ?? "";
  return { expression, object: Number(object), path };
}

/** Replaces the options of a list if they differ. */
function offer(list: HTMLDataListElement | HTMLSelectElement, values: readonly string[]): void {
  const known = [...list.children].map((option) => (option as HTMLOptionElement).value);
  if (known.length === values.length && known.every((value, i) => value === values[i])) return;
  list.replaceChildren(...values.map((value) => new Option(value, value)));
}
