import type { Finding } from "./api.gen";
import "../../internal/ui/styles.css";
import { readConfig } from "./config";
import { documentNames, isOneOf, sameScenario, type Scenario } from "./scenario";
import { element } from "./dom";
import { assembleEngine, assembleGoTypes } from "./engine/assemble";
import { noGoTypes, nothingGenerated } from "./engine/gotypes";
import { noPrograms } from "./engine/programs";
import { storedPermission } from "./engine/permission";
import { keepEvaluated } from "./evaluation";
import { keepAnswer } from "./kept-answer";
import { keepGenerated, markersOf } from "./generated";
import { Gallery } from "./gallery";
import { replaceDocuments } from "./own";
import { isOnline, keepOffline } from "./offline/offline";
import { nowhere } from "./remote/source";
import { emptyConsole, Session } from "./session";
import { namesScenario, parseFragment } from "./share/fragment";
import { bindShare } from "./share/share";
import { announceStart, isFramed } from "./framed";
import { addressToOpen, isReload, openStart, servedExample, servedScenario } from "./start";
import { beginVisit, keepSession } from "./storage";
import { Console } from "./ui/console";
import { bindCRDs } from "./ui/crds";
import { bindDocumentMenu } from "./ui/document-menu";
import { Documents } from "./ui/documents";
import { Explain } from "./ui/explain";
import { FieldBrowser } from "./ui/field-browser";
import { Fixes } from "./ui/fixes";
import { bindFrame } from "./ui/frame";
import { GalleryDialog } from "./ui/gallery-dialog";
import { bindLines } from "./ui/lines";
import { bindPlaces } from "./ui/places";
import { copyReleaseMarks } from "./ui/releases";
import { bindGo, offerGo, showLine, wantsConventions } from "./ui/go";
import { HistoryDialog } from "./ui/history-dialog";
import { bindProblems, ProblemCursor } from "./ui/problems";
import { Results } from "./ui/results";
import { applyRuleFilter } from "./ui/rule-filter";
import { bindShortcuts } from "./ui/shortcuts";
import { bindSources } from "./ui/sources";
import { bindTools } from "./ui/tools";
import { bindMutations } from "./ui/mutations";
import { bindTests } from "./ui/tests";
import { bindPlan } from "./ui/plan";
import { keepMutated, mutate } from "./mutations";
import { makePlan } from "./plan";
import { keepTested } from "./tests";
import { storedTheme } from "./ui/theme";

const config = readConfig();
const served = servedScenario(config);
const gallery = new Gallery(config.examples, servedExample(config, served));
const hasServedResult = document.querySelector('[data-panel="outcome"] *') !== null;

const session = new Session({
  scenario: served,
  origin: "opened",
  typing: false,
  document: "object",
  beside: "crd",
  maximized: "",
  opened: [],
  panel: "outcome",
  field: undefined,
  theme: storedTheme(),
  answer: undefined,
  answered: undefined,
  engine: { at: "loading", phase: "downloading" },
  evaluator: "page",
  permission: storedPermission(),
  question: false,
  online: isOnline(),
  programs: noPrograms,
  goTypes: noGoTypes,
  generated: nothingGenerated,
  judged: [],
  tested: undefined,
  mutations: undefined,
  plan: undefined,
  console: emptyConsole,
  source: nowhere,
  notice: "",
}, (scenario) => gallery.find(scenario)?.scenario);

// The download is the longest wait, so it starts first.
const { engine, assistant, programs } = assembleEngine(config, session, (scenario) =>
  sameScenario(scenario, served) || gallery.find(scenario) !== undefined);
beginVisit(isReload());
const start = await openStart(location.hash, served, gallery, config.shared !== "");
session.update(start);
if (hasServedResult && sameScenario(start.scenario, served)) {
  session.update({ answered: start.scenario });
}

const replaced = (documents: Partial<Scenario>): Scenario =>
  replaceDocuments(session.state, documents, (name, text) => gallery.has(name, text));
const isReadOnly = isFramed && parseFragment(location.hash).readOnly === true;
const keepModule = keepOffline(config, session);
const goTypes = assembleGoTypes(config, (state) => {
  session.update({ goTypes: state });
  if (state.at === "ready" && config.engine.goTypes) keepModule(config.engine.goTypes);
});
const documents = new Documents(session, assistant, markersOf(session, goTypes), replaced, isReadOnly);
bindCRDs(session);
const fixes = new Fixes(session, (fix) => documents.apply(fix), () => goToProblem(1));
const hasReleases = config.releases.length > 0 || Object.keys(config.engine.programs ?? {}).length > 0;
const results = new Results(session, hasReleases, (panels) => {
  if (panels.includes("rules")) applyRuleFilter();
  if (panels.includes("releases")) copyReleaseMarks();
  documents.markCursor();
  explain.swapped();
  fixes.swapped(panels);
  offerGo(session.state);
});
const explain = new Explain(session, {
  explain: (name) => documents.explain(name),
  go: (place) => documents.go(place),
  show: (panel) => session.update({ panel }),
  apply: (fix) => documents.apply(fix),
});
documents.onCursor = (name) => {
  if (name === "go") showLine(session.state, documents);
  else explain.moved(name);
};
const remote = bindSources(session, replaced);
const problem = new ProblemCursor();
const noFindings: readonly Finding[] = [];
function goToProblem(step: 1 | -1): void {
  const { generated, answer } = session.state;
  const next = problem.next([generated.problems, answer?.findings ?? noFindings], step);
  if (next && isOneOf(documentNames, next.document)) documents.go({ document: next.document, range: next.range });
}
bindProblems();
const share = bindShare(session, config, gallery, assistant, served);

bindFrame(session, config, programs);
const galleryDialog = new GalleryDialog(session, gallery);
const historyDialog = new HistoryDialog(session, gallery);
bindTests(session);
bindMutations(session, () => void mutate(session, (scenario, from) => assistant.mutate(scenario, from)));
bindPlan(session, () => void makePlan(session, (scenario, from, trials) => assistant.plan(scenario, from, trials)));
const documentMenu = bindDocumentMenu(session, (name) => documents.focus(name));
const celConsole = new Console(session, assistant, () => documents.cursor("object"));
const tools = bindTools(session, assistant, documents);
new FieldBrowser(session, assistant, documents);
bindPlaces((place) => documents.go(place));
bindLines((place) => documents.go(place));
bindShortcuts({
  showDocument: (name) => documents.focus(name),
  showPanel: (name) => results.focus(name),
  goToProblem,
  fix: () => {
    const { document, generated, answer } = session.state;
    fixes.applyAt(documents.cursor(document), [...generated.problems, ...(answer?.findings ?? noFindings)]);
  },
  share,
  addDocument: () => documentMenu.open(),
  openGallery: () => galleryDialog.open(),
  format: tools.format,
  tryExpression: () => celConsole.focus(),
});
element("console-open", HTMLButtonElement).addEventListener("click", () => celConsole.focus());

if (!isFramed) keepSession(session, (scenario) => void historyDialog.replaced(scenario, session.state.scenario));
keepAnswer(session, config.engine.module);
keepEvaluated(session, engine, results.standing);
keepTested(session, (scenario) => assistant.test(scenario));
keepMutated(session, (scenario, from) => assistant.mutate(scenario, from));
// Readers of a read-only frame change nothing, so the CRD in the link stays.
if (!isReadOnly) bindGo(session, keepGenerated(session, goTypes, assistant, (crd) => documents.generated(crd), wantsConventions), documents);

// theme.ts repeats a click that came before.
document.dispatchEvent(new Event("crdlab-bound"));

const linked = addressToOpen(location.hash);
if (linked !== undefined) void remote.openLink(linked, parseFragment(location.hash).release);
announceStart();

// The address itself may already show the state before the change again (keepAddress).
addEventListener("hashchange", ({ newURL }) => {
  const { hash } = new URL(newURL);
  const fragment = parseFragment(hash);
  if (!namesScenario(fragment)) return;
  beginVisit(false);
  if (fragment.url !== undefined) {
    session.update({ panel: fragment.panel ?? "outcome" });
    return void remote.openLink(fragment.url, fragment.release);
  }
  void openStart(hash, session.state.scenario, gallery, false).then((next) => session.update(next));
});
