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
    if (pathname === "/api/v1/share" && request.method === "POST" && !(await mayShare(request, env))) return tooMany();
    return go.fetch(request, env, context);
  },
};

/** Whether the client has shared less than it may, here and lately. */
async function mayShare(request, env) {
  const { success } = await env.SHARE_RATE.limit({ key: request.headers.get("cf-connecting-ip") ?? "" });
  return success;
}

/** The answer that the server gives in the same case. */
function tooMany() {
  const problem = {
    type: "about:blank",
    title: "Too Many Requests",
    status: 429,
    detail: "You ask more often than this server answers one client. Try again in a while.",
    code: "too_many_requests",
  };
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: {
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "content-type": "application/problem+json",
      "retry-after": "60",
      "x-content-type-options": "nosniff",
    },
  });
}

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
