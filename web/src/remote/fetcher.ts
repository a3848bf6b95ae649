// Fetches one document. This worker has a content security policy of its own: it may
// connect to other hosts, whereas the page may not.

import { fetchText, Unfetched } from "./fetch";
import type { Fetched } from "./fetch-client";

const scope = globalThis as unknown as {
  postMessage(message: Fetched): void;
  onmessage: (event: MessageEvent<string>) => void;
};

scope.onmessage = ({ data }) => {
  fetchText(new URL(data)).then(
    (text) => scope.postMessage({ text }),
    (error: unknown) => {
      if (!(error instanceof Unfetched)) throw error;
      scope.postMessage({ problem: error.message });
    },
  );
};
