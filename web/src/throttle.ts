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
