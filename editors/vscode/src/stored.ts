import * as vscode from "vscode";

const scheme = "crdlab-stored";
// A view follows the edits after this pause, in milliseconds.
const pause = 200;

type Execute = (command: string, ...args: unknown[]) => Promise<unknown>;

/** A line of a file. It moves with the edits above it. */
interface Place {
  readonly uri: string;
  line: number;
}

/** The read-only views of stored objects, which follow the edits of their files. */
export class StoredObjects implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly execute: Execute;
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly views = new Map<string, Place>();
  private readonly subscriptions: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;
  readonly onDidChange = this.changed.event;

  constructor(execute: Execute) {
    this.execute = execute;
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidChangeTextDocument((event) => this.follow(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.views.delete(document.uri.toString())),
    );
  }

  /** Opens the view of the document in a line of a file, beside the file. */
  async open(uri: string, line: number): Promise<void> {
    const name = vscode.Uri.parse(uri).path.replace(/^.*\//, "").replace(/\.\w+$/, "");
    const view = vscode.Uri.from({ scheme, path: `/stored: ${name}.yaml`, query: `${uri}#${line}` });
    this.views.set(view.toString(), { uri, line });
    this.changed.fire(view); // It may be open already.
    await vscode.window.showTextDocument(view, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
  }

  /** Asks the server again for all views. */
  refresh(): void {
    for (const view of this.views.keys()) this.changed.fire(vscode.Uri.parse(view));
  }

  async provideTextDocumentContent(view: vscode.Uri): Promise<string> {
    const place = this.views.get(view.toString());
    if (!place) return comment("Close this view and open it again: the editor was restarted.");
    try {
      const { text, output } = (await this.execute("crdlab.storedObject", place.uri, place.line)) as { text: string; output: string };
      return comment(output) + text;
    } catch (error) {
      return comment(error instanceof Error ? error.message : String(error));
    }
  }

  private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    const places = [...this.views.values()].filter((place) => place.uri === uri);
    if (document.uri.scheme === scheme || this.views.size === 0) return;
    for (const { range, text } of contentChanges) {
      const added = text.split("\n").length - 1 - (range.end.line - range.start.line);
      for (const place of places) {
        if (range.start.line < place.line) place.line = Math.max(range.start.line, place.line + added);
      }
    }
    // An edit of a CRD changes the objects in other files.
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.refresh(), pause);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
  }
}

function comment(text: string): string {
  return text.trimEnd().split("\n").map((line) => `# ${line}`.trimEnd() + "\n").join("");
}
