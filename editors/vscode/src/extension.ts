// The extension starts "crdlab lsp" and shows parts that the protocol lacks: the stored
// object beside the editor, the release, and the verdict in the status bar.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { DidChangeConfigurationNotification, ExecuteCommandRequest, LanguageClient } from "vscode-languageclient/node";
import { Status } from "./status.ts";
import { StoredObjects } from "./stored.ts";

const installation = "https://github.com/crdlab/crdlab#install";
const documentSelector = ["file", "untitled"].flatMap((scheme) => ["yaml", "json", "go"].map((language) => ({ scheme, language })));

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const stored = new StoredObjects(execute);
  const status = new Status();
  context.subscriptions.push(
    stored,
    status,
    vscode.commands.registerCommand("crdlab.showStored", () => atCaret((uri, line) => stored.open(uri, line))),
    vscode.commands.registerCommand("crdlab.showInPlayground", () => atCaret((uri, line) => execute("crdlab.openPlayground", uri, line))),
    vscode.commands.registerCommand("crdlab.tryInKubectl", () => atCaret(tryInKubectl)),
    vscode.commands.registerCommand("crdlab.runTests", () => atCaret((uri) => execute("crdlab.test", uri))),
    vscode.commands.registerCommand("crdlab.chooseRelease", async () => {
      const chosen = await vscode.window.showQuickPick(
        releasesOf(context).map((release) => ({ label: release || "newest", release })),
        { title: "crdlab: the Kubernetes release that judges until the settings change" },
      );
      if (!chosen) return;
      await reporting(async () => {
        await execute("crdlab.release", chosen.release);
        status.release = chosen.release;
        stored.refresh();
      });
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration("crdlab")) return;
      const settings = vscode.workspace.getConfiguration("crdlab");
      status.release = settings.get("release", "");
      if (event.affectsConfiguration("crdlab.path")) await start(stored, status);
      else await client?.sendNotification(DidChangeConfigurationNotification.type, { settings: { crdlab: settings } });
      stored.refresh();
    }),
  );
  await start(stored, status);
}

export async function deactivate(): Promise<void> {
  await client?.dispose();
  client = undefined;
}

/** Returns the values of the setting: the releases that crdlab judges, and "" for the newest. */
function releasesOf(context: vscode.ExtensionContext): readonly string[] {
  const { contributes } = context.extension.packageJSON as { contributes: { configuration: { properties: { "crdlab.release": { enum: string[] } } } } };
  return contributes.configuration.properties["crdlab.release"].enum;
}

/** Starts the server, and ends a running one. A missing program is a message, not an error. */
async function start(stored: StoredObjects, status: Status): Promise<void> {
  await deactivate();
  const settings = vscode.workspace.getConfiguration("crdlab");
  const command = settings.get<string>("path") || "crdlab";
  try {
    // Also fails for a version without the language server.
    await promisify(execFile)(command, ["lsp", "--help"]);
  } catch (error) {
    status.isRunning = false;
    await tellHowToInstall(command, error);
    return;
  }
  client = new LanguageClient("crdlab", "crdlab", { command, args: ["lsp"] }, {
    documentSelector,
    initializationOptions: settings,
    middleware: {
      // The code lens opens the view; the client itself would drop the result.
      executeCommand: (name, args, next): unknown =>
        name === "crdlab.storedObject" ? stored.open(String(args[0]), Number(args[1])) : next(name, args),
    },
  });
  await client.start();
  status.isRunning = true;
}

async function tellHowToInstall(command: string, error: unknown): Promise<void> {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  const problem = isMissing ? `The program "${command}" was not found.` : `The program "${command}" has no language server.`;
  const choice = await vscode.window.showErrorMessage(
    `${problem} [Install crdlab](${installation}), or set crdlab.path.`,
    "Open the settings",
  );
  if (choice) await vscode.commands.executeCommand("workbench.action.openSettings", "crdlab.path");
}

/** Runs a command of the server, and returns its result. */
async function execute(command: string, ...args: unknown[]): Promise<unknown> {
  if (!client) throw new Error("The language server of crdlab does not run.");
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
}

/** Starts an API server in a terminal without a shell, with the documents as they are saved. */
async function tryInKubectl(uri: string, line: number): Promise<void> {
  const [shellPath, ...shellArgs] = (await execute("crdlab.serverCommand", uri, line)) as [string, ...string[]];
  await vscode.workspace.saveAll();
  vscode.window.createTerminal({ name: "crdlab apiserver", shellPath, shellArgs }).show();
}

async function atCaret(run: (uri: string, line: number) => Promise<unknown>): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor) await reporting(() => run(editor.document.uri.toString(), editor.selection.active.line));
}

/** Shows the server's reason why it refused a command. */
async function reporting(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    await vscode.window.showErrorMessage(`crdlab: ${error instanceof Error ? error.message : String(error)}`);
  }
}
