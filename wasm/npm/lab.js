// The engine as the program sees it: it sends each request to a worker and waits for the reply.

/**
 * Waits until the engine in a worker is ready. The worker has the methods send and stop, and
 * calls receive for each message of the engine, and fail for an error that ends it.
 *
 * @param {(receive: (message: object) => void, fail: (error: Error) => void) => {send(message: object): void, stop(): void}} startWorker
 */
export async function open(startWorker) {
  const engine = connect(startWorker, "engine");
  await engine.ready;
  let closed;
  /** The generator, which has a worker of its own. */
  let goTypes;
  return {
    evaluate: (scenario) => engine.ask("evaluate", scenario),
    assist: (request) => engine.ask("assist", request),
    generate: async (source) => {
      if (closed) throw closed;
      if (!goTypes || goTypes.hasEnded()) goTypes = connect(startWorker, "goTypes");
      const generator = goTypes;
      await generator.ready;
      return (await generator.ask("assist", { generate: source })).generate;
    },
    close: () => {
      closed = new Error("the engine was closed");
      engine.end(closed);
      goTypes?.end(closed);
    },
  };
}

/** Starts a module in a worker: "engine" or "goTypes". Its promise ready is rejected if it ends before. */
function connect(startWorker, module) {
  /** The pending requests by their number. */
  const pending = new Map();
  let announce, refuseAll, ended;
  const ready = new Promise((resolve, reject) => ([announce, refuseAll] = [resolve, reject]));
  let next = 0;

  const end = (error) => {
    if (ended) return;
    ended = error;
    worker.stop();
    refuseAll(error);
    for (const request of pending.values()) request.reject(error);
    pending.clear();
  };

  const ask = (method, argument) =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      const id = next++;
      pending.set(id, { resolve, reject });
      worker.send({ id, method, argument: JSON.stringify(argument) });
    });

  const receive = (message) => {
    if (message.ready) return announce();
    if (message.failure) return end(new Error(message.failure));
    const { resolve: answer, reject: refuse } = pending.get(message.id);
    pending.delete(message.id);
    const reply = JSON.parse(message.reply);
    if (reply.error) refuse(new Error(reply.error));
    else answer(reply);
  };

  const worker = startWorker(receive, end);
  worker.send({ module });
  return { ready, ask, end, hasEnded: () => ended !== undefined };
}
