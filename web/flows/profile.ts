import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "@playwright/test";
import { launchOptions } from "./playwright.config";

/** A profile of Chromium on disk, as users have. It keeps compiled code from one start of the browser to the next. */
export class Profile {
  readonly #directory = mkdtempSync(join(tmpdir(), "crdlab-profile-"));

  /** Starts the browser. */
  start(): Promise<BrowserContext> {
    return chromium.launchPersistentContext(this.#directory, { ...launchOptions, serviceWorkers: "allow" });
  }

  /** Returns the size of the compiled code in KiB. */
  codeSize(): number {
    try {
      const files = readdirSync(join(this.#directory, "Default", "Code Cache", "wasm"), { withFileTypes: true });
      return files.reduce((sum, file) => sum + (file.isFile() ? statSync(join(file.parentPath, file.name)).size : 0), 0) / 1024;
    } catch {
      return 0;
    }
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }
}
