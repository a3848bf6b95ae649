/** The number of bytes that are kept. Go prints the reason before the stack of each goroutine. */
const maxBytes = 64 << 10;

/**
 * Matches the line that Go's runtime prints if the module's memory cannot grow. There is
 * no other sign: every crash has the same exit code.
 */
const outOfMemory = /^fatal error: .*\b(?:out of memory|cannot allocate memory)\b/m;

/** Collects the engine's log, which Go's runtime writes before it ends. */
export class LastWords {
  readonly #decoder = new TextDecoder();
  #log = "";

  /** Adds a part of the log and returns its length. */
  add(bytes: Uint8Array): number {
    if (this.#log.length < maxBytes) this.#log += this.#decoder.decode(bytes, { stream: true });
    return bytes.length;
  }

  areOutOfMemory(): boolean {
    return outOfMemory.test(this.#log);
  }
}
