import "../../internal/ui/styles.css";
import { readConfig } from "./config";
import { documentNames, isOneOf, sameScenario } from "./scenario";
import { element } from "./dom";
import { assembleEngine } from "./engine/assemble";
import { nothingOlder } from "./engine/older";
import { storedPermission } from "./engine/permission";
import { keepEvaluated } from "./evaluation";
import { Gallery } from "./gallery";
import { isOnline, keepOffline } from "./offline/offline";
import { Remote } from "./remote/remote";
import { nowhere } from "./remote/source";
import { emptyConsole, Session } from "./session";
import { keepAddress } from "./share/address";
import { bindExport } from "./share/export";
import { bindCopyButtons, bindShareMore, openShareDialog } from "./share/dialog";
import { bindEmbed } from "./share/embed";
import { namesScenario, parseFragment } from "./share/fragment";
import { Place } from "./share/place";
import { bindShortLink } from "./share/short-link";
import { announceStart, isFramed } from "./framed";
import { addressToOpen, isReload, openStart, servedExample, servedScenario } from "./start";
import { beginVisit, keepSession } from "./storage";
import { bindAddressDialog } from "./ui/address-dialog";
import { bindChoices } from "./ui/choices";
import { Console } from "./ui/console";
import { bindCopyText } from "./ui/copy";
import { CRDList } from "./ui/crds";
import { bindDocumentMenu } from "./ui/document-menu";
import { Documents } from "./ui/documents";
import { Explain } from "./ui/explain";
import { FieldBrowser } from "./ui/field-browser";
import { bindFiles } from "./ui/files";
import { bindFixes } from "./ui/fixes";
import { GalleryDialog } from "./ui/gallery-dialog";
import { bindLines } from "./ui/lines";
import { bindPermission } from "./ui/permission";
import { bindReleaseOffer } from "./ui/release-offer";
import { bindReleases } from "./ui/releases";
import { bindPlaces } from "./ui/places";
import { bindMaximize } from "./ui/maximize";
import { HistoryDialog } from "./ui/history-dialog";
import { bindJumpBar } from "./ui/jump-bar";
import { ProblemCursor } from "./ui/problems";
import { bindPrint } from "./ui/print";
import { Results } from "./ui/results";
import { applyRuleFilter, bindRuleFilter } from "./ui/rule-filter";
import { bindShortcuts } from "./ui/shortcuts";
import { bindTools } from "./ui/tools";
import { bindSourceNote } from "./ui/source-note";
import { bindSplit } from "./ui/split";
import { bindStatus } from "./ui/status";
import { bindTests } from "./ui/tests";
import { keepTested } from "./tests";
import { bindTheme, storedTheme } from "./ui/theme";

const config = readConfig();
const served = servedScenario(config);
const gallery = new Gallery(config.examples, servedExample(config, served));
const hasServedResult = document.querySelector('[data-panel="outcome"] *') !== null;

const session = new Session({
  scenario: served,
  origin: "opened",
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
  older: nothingOlder,
  judged: [],
  tested: undefined,
  console: emptyConsole,
  source: nowhere,
  notice: "",
});

// The download is the longest wait, so it starts first.
const { engine, help, older } = assembleEngine(config, session, (scenario) =>
  sameScenario(scenario, served) || gallery.find(scenario) !== undefined);
beginVisit(isReload());
const start = await openStart(location.hash, served, gallery, config.shared !== "");
session.update(start);
if (hasServedResult && sameScenario(start.scenario, served)) {
  session.update({ answered: start.scenario });
}

const documents = new Documents(session, help, isFramed && parseFragment(location.hash).readOnly === true);
const crds = new CRDList(session, engine);
const results = new Results(session, (panels) => {
  if (panels.includes("rules")) applyRuleFilter();
  if (panels.includes("crds")) crds.fill();
  documents.markCursor();
  explain.swapped();
});
const explain = new Explain(session, {
  explain: (name) => documents.explain(name),
  go: (place) => documents.go(place),
  show: (panel) => session.update({ panel }),
  apply: (fix) => documents.apply(fix),
});
documents.onCursor = (name) => explain.moved(name);
const remote = new Remote(session);
const problem = new ProblemCursor();
const place = new Place(config, location, served);
const share = (): void => void openShareDialog(session, gallery, place);

bindTheme(session);
bindStatus(session, config);
bindPermission(session);
bindReleaseOffer(session, config);
bindReleases(session, config, older);
bindChoices(session);
const galleryDialog = new GalleryDialog(session, gallery);
const historyDialog = new HistoryDialog(session, gallery);
bindCopyButtons();
bindCopyText();
bindFiles(session);
bindAddressDialog(session, remote);
bindSourceNote(session);
bindPrint(session);
bindMaximize(session);
bindJumpBar(session);
bindShareMore(session);
bindExport(session, (scenario) => help.export(scenario));
bindTests(session);
bindShortLink(session, place);
bindEmbed(session, place);
bindRuleFilter();
const documentMenu = bindDocumentMenu(session, (name) => documents.focus(name));
const celConsole = new Console(session, help, () => documents.cursor("object"));
const tools = bindTools(session, help, documents);
new FieldBrowser(session, help, documents);
bindPlaces((place) => documents.go(place));
bindLines((place) => documents.go(place));
bindFixes((fix) => documents.apply(fix));
const fromLeft = {
  share: (event: PointerEvent, parent: DOMRect) => (100 * (event.clientX - parent.left)) / parent.width,
  keys: ["ArrowLeft", "ArrowRight"],
} as const;
bindSplit({ id: "split", property: "--documents-width", ...fromLeft });
bindSplit({ id: "wide-split", property: "--documents-wide-width", ...fromLeft });
bindSplit({ id: "columns-split", property: "--crd-width", ...fromLeft });
bindSplit({
  id: "rows-split",
  property: "--crd-height",
  share: (event, parent) => (100 * (event.clientY - parent.top)) / parent.height,
  keys: ["ArrowUp", "ArrowDown"],
});
bindSplit({
  id: "problems-split",
  property: "--problems-height",
  share: (event, parent) => (100 * (parent.bottom - event.clientY)) / parent.height,
  keys: ["ArrowDown", "ArrowUp"],
});
bindShortcuts({
  showDocument: (name) => documents.focus(name),
  showPanel: (name) => results.focus(name),
  goToProblem: (step) => {
    const finding = problem.next(session.state.answer?.findings ?? [], step);
    if (finding && isOneOf(documentNames, finding.document)) {
      documents.go({ document: finding.document, range: finding.range });
    }
  },
  share,
  addDocument: () => documentMenu.open(),
  openGallery: () => galleryDialog.open(),
  format: tools.format,
  tryExpression: () => celConsole.focus(),
});
element("console-open", HTMLButtonElement).addEventListener("click", () => celConsole.focus());
element("share-open", HTMLButtonElement).addEventListener("click", share);

if (!isFramed) keepSession(session, (scenario) => void historyDialog.replaced(scenario, session.state.scenario));
// Another address would not be framed again at a reload.
if (!isFramed) keepAddress(session, gallery, place);
keepEvaluated(session, engine, results.standing);
keepTested(session, (scenario) => help.test(scenario));
keepOffline(config, session);

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
