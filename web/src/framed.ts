/**
 * Reports whether another page frames this one. A framed page neither reads nor changes
 * the browser's storage: the page around it chose its documents.
 */
export const isFramed = typeof window !== "undefined" && window.top !== window;

/** Announces the start to the page around this one. The message holds no data, so any site may read it. */
export function announceStart(): void {
  if (isFramed) window.parent.postMessage("crdlab started", "*");
}
