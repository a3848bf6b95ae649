import type { Answer } from "./api.gen";
import { digestOf } from "./digest";
import { isPending } from "./evaluation";
import { read, remove, write } from "./local";
import { withoutDefaults, type Scenario } from "./scenario";
import type { Session, SessionState } from "./session";
import { afterPause } from "./throttle";

const key = "crdlab.answer";

/** The delay in ms after the last answer: storing it must delay no keystroke. */
const pause = 2000;

/** The length above which an answer is not stored. */
const maxLength = 500_000;

/** The last answer of a visit. */
interface Kept {
  /** The address of the module that gave the answer. */
  readonly module: string;
  /** The digest of the scenario. */
  readonly digest: string;
  readonly answer: Answer;
}

/**
 * Keeps the last answer of the engine in the page for the next visit. Shows the kept answer
 * while the engine starts, if it is of the same module and the same scenario.
 */
export function keepAnswer(session: Session, module: string): void {
  const kept = parse(read(key));
  const show = async (): Promise<void> => {
    const { scenario } = session.state;
    if (kept?.module !== module || !awaitsEngine(session.state)) return;
    if (kept.digest !== await digest(scenario) || !awaitsEngine(session.state)) return;
    if (session.state.scenario === scenario) session.update({ answer: kept.answer, answered: scenario, evaluator: "earlier" });
  };
  const soon = afterPause(pause, () => void store(session.state, module));
  session.subscribe(({ scenario, answer }, previous) => {
    if (answer !== previous.answer) soon();
    if (scenario === previous.scenario) return;
    // A longer session may need the room.
    remove(key);
    void show();
  });
  void show();
}

function awaitsEngine({ answer, engine }: SessionState): boolean {
  return !answer && engine.at === "loading";
}

/** Stores an answer. Judgments of older releases come from modules of their own. */
async function store(state: SessionState, module: string): Promise<void> {
  const { scenario, answer, evaluator, judged } = state;
  if (!answer || isPending(state) || evaluator !== "page" || judged.length > 0) return;
  const ofScenario = await digest(scenario);
  if (ofScenario === undefined) return;
  const text = JSON.stringify({ module, digest: ofScenario, answer } satisfies Kept);
  if (text.length <= maxLength) write(key, text);
}

function digest(scenario: Scenario): Promise<string | undefined> {
  return digestOf(JSON.stringify(withoutDefaults(scenario)));
}

function parse(text: string | null): Kept | undefined {
  try {
    return (JSON.parse(text ?? "null") as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}
