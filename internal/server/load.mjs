// Loads a server from a separate process, and prints the throughput, the latencies and
// the memory of the server and its process pool.
//
//   node internal/server/load.mjs [SECONDS] [CLIENTS]
//
// The arguments are the duration per kind of request and the number of concurrent clients.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [seconds, clients] = [Number(process.argv[2] ?? 20), Number(process.argv[3] ?? 4)];
const program = join(import.meta.dirname, "..", "..", "bin", "crdlab");
const sampleInterval = 5000;

const data = mkdtempSync(join(tmpdir(), "crdlab-load-"));
const server = spawn(program, ["--addr", "127.0.0.1:0", "--store", `file://${data}/links`, "--evaluate-rate", "0", "--share-rate", "0"], {
  stdio: ["ignore", "ignore", "pipe"],
});
const url = await new Promise((resolve, reject) => {
  server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  createInterface(server.stderr).on("line", (line) => {
    const found = /"url":"(http:[^"]+)"/.exec(line)?.[1];
    if (found) resolve(found);
  });
});

const post = (path, body) => fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
const gallery = (await (await fetch(`${url}/examples.json`)).json()).map(({ scenario }) => scenario);
const [first] = gallery;

const kinds = {
  "evaluate, same CRD": (i) => post("/api/v1/evaluate", { ...first, object: `${first.object}# ${i}\n` }),
  "evaluate, different CRDs": (i) => post("/api/v1/evaluate", { ...first, crd: `${first.crd}# ${i}\n` }),
  "evaluate, the gallery": (i) => post("/api/v1/evaluate", gallery[i % gallery.length]),
  "share": (i) => post("/api/v1/share", { ...first, object: `${first.object}# ${i}\n` }),
  "open a short link": () => fetch(`${url}/s/${opened}`),
};
const { id: opened } = await (await post("/api/v1/share", first)).json();

/** Returns the anonymous memory of the server and of its children in MiB. Mapped files, such as the store, are excluded. */
function memory() {
  const status = (pid) => readFileSync(`/proc/${pid}/status`, "utf8");
  const resident = (pid) => Number(/RssAnon:\s+(\d+)/.exec(status(pid))?.[1] ?? 0) / 1024;
  const children = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid)).filter((pid) => {
    try {
      return new RegExp(`^PPid:\\s+${server.pid}$`, "m").test(status(pid));
    } catch {
      return false;
    }
  });
  return { server: Math.round(resident(server.pid)), pool: Math.round(children.reduce((sum, pid) => sum + resident(pid), 0)) };
}

let count = 0;
async function load(send) {
  const times = [];
  const statuses = {};
  const samples = [];
  const sampling = setInterval(() => samples.push(memory()), sampleInterval);
  const end = performance.now() + seconds * 1000;
  const client = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      const response = await send(count++);
      await response.arrayBuffer();
      times.push(performance.now() - start);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  clearInterval(sampling);
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]?.toFixed(1);
  return { "requests/s": (times.length / seconds).toFixed(1), "p50 ms": at(0.5), "p95 ms": at(0.95), "p99 ms": at(0.99), statuses, samples };
}

const row = ({ samples, statuses, ...figures }) => ({
  ...figures,
  statuses: Object.entries(statuses).map(([status, n]) => `${n}×${status}`).join(" "),
  "MiB, server": `${samples[0]?.server} … ${samples.at(-1)?.server}`,
  "MiB, pool": `${samples[0]?.pool} … ${samples.at(-1)?.pool}`,
});
const table = {};
for (const [name, send] of Object.entries(kinds)) {
  const result = await load(send);
  table[name] = row(result);
  if (seconds >= 60) console.log(name, "MiB server/pool:", result.samples.map(({ server, pool }) => `${server}/${pool}`).join(" "));
}
console.table(table);
server.kill("SIGTERM");
await new Promise((resolve) => server.once("exit", resolve));
rmSync(data, { recursive: true });
