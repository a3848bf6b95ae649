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

/** The delay in ms after which a frame is no longer expected: hidden pages have none. */
const longestFrame = 100;

/** Runs a function after the browser has painted the next frame. */
export function afterFrame(run: () => void): void {
  let isDue = true;
  const once = (): void => {
    if (isDue) run();
    isDue = false;
  };
  setTimeout(once, longestFrame);
  if (typeof requestAnimationFrame !== "function") return;
  requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = once;
    port2.postMessage(undefined);
  });
}
