// The Worker's entry point. Cloudflare serves assets that exist as files. This module
// serves the engine, which exists only in compressed form, and passes all other
// requests to the Go program.

import go from "../../dist/worker/go/worker.mjs";

const codings = [
  ["br", ".br"],
  ["gzip", ".gz"],
];

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/assets/") && ["GET", "HEAD"].includes(request.method)) {
      const compressed = await fetchCompressed(request, env);
      if (compressed) return compressed;
    }
    if (pathname === "/api/v1/share" && request.method === "POST" && !(await isWithinShareRate(request, env))) return rateLimited();
    return go.fetch(request, env, context);
  },
};

/** Reports whether the client is within its rate limit for sharing at this Cloudflare location. */
async function isWithinShareRate(request, env) {
  const { success } = await env.SHARE_RATE.limit({ key: request.headers.get("cf-connecting-ip") ?? "" });
  return success;
}

/** Returns the same problem as the Go server for an exceeded rate limit. */
function rateLimited() {
  const problem = {
    type: "about:blank",
    title: "Too Many Requests",
    status: 429,
    detail: "Rate limit exceeded. Try again later.",
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

/** Returns an asset in the best content coding that the client accepts, or undefined. */
async function fetchCompressed(request, env) {
  // Cloudflare replaces the client's Accept-Encoding header.
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
    // The body is buffered: a slow download of a stream would block all other assets.
    return new Response(await asset.arrayBuffer(), { encodeBody: "manual", headers });
  }
  return undefined;
}
