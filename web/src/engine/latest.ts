/**
 * Runs one request at a time and queues at most one. A newer request replaces the
 * queued one, which then resolves to undefined.
 */
export class Latest<Request, Result> {
  readonly #run: (request: Request) => Promise<Result>;
  #active = false;
  #pending: { request: Request; settle: (result: Promise<Result> | undefined) => void } | undefined;

  constructor(run: (request: Request) => Promise<Result>) {
    this.#run = run;
  }

  submit(request: Request): Promise<Result | undefined> {
    return new Promise((resolve) => {
      this.#pending?.settle(undefined);
      this.#pending = { request, settle: resolve };
      this.#next();
    });
  }

  #next(): void {
    const pending = this.#pending;
    if (this.#active || !pending) return;
    this.#pending = undefined;
    this.#active = true;
    const result = this.#run(pending.request);
    const done = (): void => {
      this.#active = false;
      this.#next();
    };
    result.then(done, done);
    pending.settle(result);
  }
}
