import type { Fix, GoCursor, GoProblem, Position, Range } from "./api.gen";
import { noWriting, type Writing } from "./editor/hover";
import type { Marked } from "./editor/markers";
import type { Assistant } from "./engine/assistant";
import { type Generated, type GoTypes, nothingGenerated } from "./engine/gotypes";
import { EvaluationStopped } from "./engine/worker-client";
import type { Session, SessionState } from "./session";
import { afterPause } from "./throttle";

/** The time in ms without a keystroke before a generation. */
const pause = 150;

/** The same before the fixes in Go, which are tested by more generations. */
const fixPause = 600;

/** Notes have no fixes. */
const mayHaveFixes = (problems: readonly GoProblem[]): boolean => problems.some(({ severity }) => severity !== "info");

/**
 * Generates the CRD from the Go document after each change: in the page if the engine is there,
 * otherwise on the server. write receives the CRD, and conventions tells whether the user wants notes on
 * them. Returns the function that tries again after a failure or another wish.
 */
export function keepGenerated(session: Session, module: GoTypes | undefined, assistant: Assistant, write: (crd: string) => void, conventions: () => boolean): () => void {
  const inPage = (): GoTypes | undefined => (isInPage(session.state) ? module : undefined);
  /** The text of the last request. */
  let asked = "";
  const run = async (): Promise<void> => {
    const { go } = session.state.scenario;
    try {
      const result = await (inPage() ?? assistant).generate({ text: go, conventions: conventions() });
      if (!result || session.state.scenario.go !== go) return;
      session.update({ generated: { go, crd: result.crds, problems: inGo(result.problems), origins: result.origins, translated: new Map(), fault: "" } });
      if (result.crds !== "") write(result.crds);
      if (mayHaveFixes(result.problems) || untranslated(session.state).length > 0) fixSoon();
    } catch (error) {
      session.update({ generated: { ...session.state.generated, fault: sentenceOf(error) } });
    }
  };
  const soon = afterPause(pause, () => void run());
  const fix = async (): Promise<void> => {
    const { scenario: { go }, generated } = session.state;
    const crdFixes = untranslated(session.state);
    if (generated.go !== go || (!mayHaveFixes(generated.problems) && crdFixes.length === 0)) return;
    const result = await (inPage() ?? assistant).generate({ text: go, conventions: conventions(), fixes: mayHaveFixes(generated.problems), crdFixes }).catch(() => undefined); // The problems stay.
    if (!result || session.state.scenario.go !== go) return;
    const translated = new Map(session.state.generated.translated);
    for (const [i, edited] of (result.crdFixes ?? []).entries()) translated.set(keyOf(crdFixes[i]), edited);
    session.update({ generated: { ...session.state.generated, problems: inGo(result.problems), translated } });
  };
  const fixSoon = afterPause(fixPause, () => void fix());
  const follow = (state: SessionState): void => {
    const { go } = state.scenario;
    // The engine and its first result come first.
    if (go === asked || (isInPage(state) && !state.answer)) return;
    asked = go;
    if (go === "") session.update({ generated: nothingGenerated });
    else soon();
  };
  session.subscribe((state, previous) => {
    follow(state);
    if (state.answer !== previous.answer && untranslated(state).length > 0) fixSoon();
    if (state.document === "go" && previous.document !== "go") void inPage()?.load();
    if (state.engine.at !== previous.engine.at && state.generated.fault !== "") soon();
  });
  return () => void run();
}

/** Returns the fixes of the generated CRD that are not translated to Go yet. */
function untranslated({ answer, answered, generated }: SessionState): Fix[] {
  if (generated.crd === "" || answered?.crd !== generated.crd) return [];
  const fixes = (answer?.findings ?? []).flatMap((finding) => (finding.document === "crd" ? finding.fixes : []));
  return fixes.filter((fix) => !generated.translated.has(keyOf(fix)));
}

/** Returns what identifies a fix of the CRD: its edits. */
function keyOf(fix: Fix | undefined): string {
  return JSON.stringify(fix?.edits);
}

/** Returns the fix of Go with the effect of a fix of the CRD, if there is one. */
export function fixInGo({ translated }: Generated, fix: Fix): Fix | undefined {
  const found = translated.get(keyOf(fix));
  return found && found.edits.length > 0 ? found : undefined;
}

function inGo(problems: readonly GoProblem[]): Generated["problems"] {
  return problems.map((problem) => ({ ...problem, document: "go" }));
}

/** Completes and describes the markers of the Go document. */
export function markersOf(session: Session, module: GoTypes | undefined): Writing {
  const cursor = (position: Position): GoCursor => ({ text: session.state.scenario.go, position });
  return module ? {
    complete: async (position) => (await module.assist({ completeGo: cursor(position) })).completeGo,
    hover: async (position) => (await module.assist({ hoverGo: cursor(position) })).hoverGo,
  } : noWriting;
}

function isInPage({ engine: { at } }: SessionState): boolean {
  return at === "loading" || at === "page";
}

function sentenceOf(error: unknown): string {
  if (error instanceof EvaluationStopped) return `The CRD was not generated: the generator was stopped after ${Math.round(error.took / 1000)} s.`;
  return `The CRD was not generated: ${error instanceof Error ? error.message : String(error)}.`;
}

/** Reports whether the origins relate the present documents. */
function isCurrent({ scenario, generated }: SessionState): boolean {
  return generated.go === scenario.go && generated.crd === scenario.crd && generated.crd !== "";
}

/** Returns the Go source of a position in the CRD. */
export function sourceOf(state: SessionState, position: Position): Range | undefined {
  if (!isCurrent(state)) return undefined;
  return state.generated.origins.findLast(({ range }) => !isBefore(position, range.start))?.source;
}

/** Returns the first part of the CRD whose source is nearest to a position in Go: around it, or in its line. */
export function targetOf(state: SessionState, position: Position): Range | undefined {
  if (!isCurrent(state)) return undefined;
  const inLine = state.generated.origins.filter(({ source }) => source.start.line <= position.line && position.line <= source.end.line);
  const around = inLine.filter(({ source }) => !isBefore(position, source.start) && !isBefore(source.end, position));
  const isInside = (a: Range, b: Range): boolean => !isBefore(a.start, b.start) && !isBefore(b.end, a.end);
  const [first, ...others] = around.length > 0 ? around : inLine;
  if (!first) return undefined;
  return others.reduce((best, next) => (isInside(next.source, best.source) && !isInside(best.source, next.source) ? next : best), first).range;
}

function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}

/** Returns the marks of the Go document: its mistakes, and the findings in the CRD. */
export function marksInGo(state: SessionState): readonly Marked[] {
  const { generated, answer, answered } = state;
  const findings = answered?.crd === generated.crd ? answer?.findings ?? [] : [];
  const inCrd = findings.flatMap(({ document, range, severity, message, hint, fixes }): Marked[] => {
    const source = document === "crd" ? sourceOf(state, range.start) : undefined;
    return source ? [{ range: source, severity, message, hint, fixes: fixes.flatMap((fix) => fixInGo(generated, fix) ?? []) }] : [];
  });
  return [...generated.problems, ...inCrd];
}
