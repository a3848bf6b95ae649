/**
 * Limits a function to one run per interval, in ms. The first call starts the
 * interval, and the function runs once at its end.
 */
export function throttle(interval: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      run();
    }, interval);
  };
}

/** Delays a function until no call has arrived for a pause, in ms. */
export function afterPause(length: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, length);
  };
}
