import type { Page } from "./playground";

/** The time in ms between two keys. */
const delay = 80;
/** A pause in ms, after which the page no longer expects another key. */
const rest = 2_000;

/** Types while the page's clock is stopped between the keys, so that a slow machine makes no pauses. */
export class Typist {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Stops the clock of a page that was installed before the page was opened. */
  static async at(page: Page): Promise<Typist> {
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
    return new Typist(page);
  }

  async press(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
    await this.#page.clock.runFor(delay);
  }

  async type(text: string): Promise<void> {
    for (const key of text) {
      await this.#page.keyboard.type(key);
      await this.#page.clock.runFor(delay);
    }
  }

  /** Pauses long enough to end the typing. */
  async rest(): Promise<void> {
    await this.#page.clock.runFor(rest);
  }
}
