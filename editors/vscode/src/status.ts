import * as vscode from "vscode";

/** The item in the status bar: the release, and the verdict on the active document. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("crdlab", vscode.StatusBarAlignment.Right);
  private readonly subscriptions: vscode.Disposable;
  private chosen = vscode.workspace.getConfiguration("crdlab").get("release", "");
  private running = false;

  constructor() {
    this.item.name = "crdlab";
    this.item.command = "crdlab.chooseRelease";
    this.subscriptions = vscode.Disposable.from(
      this.item,
      vscode.window.onDidChangeActiveTextEditor(() => this.show()),
      vscode.languages.onDidChangeDiagnostics(() => this.show()),
    );
  }

  /** The release that judges; empty for the newest. */
  set release(release: string) {
    this.chosen = release;
    this.show();
  }

  set isRunning(running: boolean) {
    this.running = running;
    this.show();
  }

  private show(): void {
    const document = vscode.window.activeTextEditor?.document;
    if (!this.running || !document || !["yaml", "json", "go"].includes(document.languageId)) {
      this.item.hide();
      return;
    }
    const found = vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === "crdlab");
    const count = (severity: vscode.DiagnosticSeverity): number => found.filter((diagnostic) => diagnostic.severity === severity).length;
    const errors = count(vscode.DiagnosticSeverity.Error);
    const warnings = count(vscode.DiagnosticSeverity.Warning);
    // An object whose CRD is unknown has no verdict, only information.
    const verdict = errors + warnings > 0 ? `$(error) ${errors} $(warning) ${warnings}` : found.length > 0 ? "$(info)" : "$(check)";
    this.item.text = `crdlab ${this.chosen || "newest"} ${verdict}`;
    this.item.tooltip = `Kubernetes ${this.chosen || "(newest release)"}: ${errors} errors, ${warnings} warnings. Choose another release.`;
    this.item.show();
  }

  dispose(): void {
    this.subscriptions.dispose();
  }
}
