// The engine as the program sees it: it sends each request to a worker and waits for the reply.

/**
 * Waits until the engine in a worker is ready. The worker has the methods send and stop, and
 * calls receive for each message of the engine, and fail for an error that ends it.
 *
 * @param {(receive: (message: object) => void, fail: (error: Error) => void) => {send(message: object): void, stop(): void}} startWorker
 */
export function open(startWorker) {
  return new Promise((resolve, reject) => {
    /** The pending requests by their number. */
    const pending = new Map();
    let ended;
    let next = 0;

    const end = (error) => {
      if (ended) return;
      ended = error;
      worker.stop();
      reject(error);
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

    const lab = {
      evaluate: (scenario) => ask("evaluate", scenario),
      assist: (request) => ask("assist", request),
      close: () => end(new Error("the engine was closed")),
    };

    const receive = (message) => {
      if (message.ready) return resolve(lab);
      if (message.failure) return end(new Error(message.failure));
      const { resolve: answer, reject: refuse } = pending.get(message.id);
      pending.delete(message.id);
      const reply = JSON.parse(message.reply);
      if (reply.error) refuse(new Error(reply.error));
      else answer(reply);
    };

    const worker = startWorker(receive, end);
  });
}
