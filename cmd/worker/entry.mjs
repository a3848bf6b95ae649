// The Worker. Cloudflare itself serves the assets that are files; the engine,
// which is there in compressed form only, is served here, and everything else
// by the program in Go.

import go from "../../dist/worker/go/worker.mjs";

const codings = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/assets/") && ["GET", "HEAD"].includes(request.method)) {
      const packed = await fetchPacked(request, env);
      if (packed) return packed;
    }
    return go.fetch(request, env, context);
  },
};

/** An asset in the best coding that the client accepts, if there is one. */
async function fetchPacked(request, env) {
  // The header that arrives here is Cloudflare's own.
  const accepted = request.cf?.clientAcceptEncoding || request.headers.get("accept-encoding") || "";
  for (const [coding, suffix] of codings) {
    if (!accepted.includes(coding)) continue;
    const asset = await env.ASSETS.fetch(new URL(new URL(request.url).pathname + suffix, request.url));
    if (!asset.ok) continue;
    const headers = new Headers(asset.headers);
    headers.delete("etag");
    headers.set("content-type", "application/wasm");
    headers.set("content-encoding", coding);
    headers.set("vary", "Accept-Encoding");
    // Passed on as a stream, a slow download can hold up every other asset.
    return new Response(await asset.arrayBuffer(), { encodeBody: "manual", headers });
  }
  return undefined;
}
