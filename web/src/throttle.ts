/**
 * Wraps a function so that it runs at most once per interval, in ms: the first
 * call waits out the interval, and all until then count as one.
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

/** Wraps a function so that it runs once there was no call for so long, in ms. */
export function afterPause(length: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, length);
  };
}
