// Builds the image of the Dockerfile without a daemon, inspects it, and runs it without
// root on a read-only root file system. The test creates its own base image from Debian
// with this machine's Go and Node, so it needs no container registry. It needs 2 GB in
// the directory for temporary files.
//
//   node --test deploy/image.test.mjs
//
// The test needs root and the Debian packages buildah and mmdebstrap; otherwise it is
// skipped. KEEP names a file for a copy of the program for this machine. ARCHES lists the
// architectures, such as "amd64 arm64", by default this machine's.
// Images of other architectures run if an emulator is installed (Debian's
// qemu-user-static).
//
// RELEASES lists older Kubernetes releases, such as "1.31 1.36", whose programs and modules
// the image then contains. By default it has none, as in CI.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { closeSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, suite, test } from "node:test";

const root = join(import.meta.dirname, "..");
const own = { x64: "amd64", arm64: "arm64" }[process.arch];
const arches = (process.env.ARCHES ?? own).split(" ");
const built = (process.env.RELEASES ?? "").split(" ").filter(Boolean);
const user = 65532;
const version = "0.0.0-check";

/** The machine numbers in ELF headers. */
const machines = { amd64: 62, arm64: 183 };

const has = (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
const missing = process.getuid() !== 0 ? "root" : ["buildah", "mmdebstrap", "unshare"].find((program) => !has(program));

const run = (command, args, options = {}) =>
  execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 64 << 20, ...options }).trim();

suite("the container image", { skip: missing && `requires ${missing}` }, () => {
  let scratch;
  const mounts = {};
  const buildah = (...args) =>
    run("buildah", ["--root", join(scratch, "storage"), "--runroot", join(scratch, "run"), "--storage-driver", "vfs", ...args], {
      env: { ...process.env, TMPDIR: scratch },
    });

  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "crdlab-image-"));
    const base = makeBase(join(scratch, "base"));
    const stand = buildah("from", "scratch");
    buildah("add", "--quiet", stand, base, "/");
    rmSync(base, { recursive: true });
    for (const [name, value] of Object.entries(settings())) buildah("config", "--env", `${name}=${value}`, stand);
    buildah("commit", "--quiet", stand, "localhost/stand-in");
    buildah("rm", stand);
    for (const arch of arches) {
      buildah("bud", "--quiet", "--isolation", "chroot", "--platform", `linux/${arch}`,
        "--build-arg", "GO_IMAGE=localhost/stand-in", "--build-arg", "NODE_IMAGE=localhost/stand-in",
        "--build-arg", `BUILDPLATFORM=linux/${own}`, "--build-arg", `VERSION=${version}`, "--build-arg", "BROTLI=4",
        "--build-arg", `RELEASES=${built.join(" ")}`, "--pull-never",
        "--volume", `${run("go", ["env", "GOROOT"])}:/usr/local/go:ro`,
        "--volume", `${run("go", ["env", "GOMODCACHE"])}:${caches.GOMODCACHE}`,
        "--volume", `${run("go", ["env", "GOCACHE"])}:${caches.GOCACHE}`,
        "--tag", `localhost/crdlab:${arch}`, root);
      const container = buildah("from", "--pull-never", "--arch", arch, `localhost/crdlab:${arch}`);
      mounts[arch] = buildah("mount", container);
      if (process.env.KEEP && arch === own) copyFileSync(join(mounts[arch], "crdlab"), process.env.KEEP);
    }
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  for (const arch of arches) {
    test(`${arch}: has the expected configuration and labels`, () => {
      const { OCIv1: image } = JSON.parse(buildah("inspect", "--type", "image", `localhost/crdlab:${arch}`));
      assert.equal(image.architecture, arch);
      assert.equal(image.os, "linux");
      const { User, Entrypoint, Cmd, ExposedPorts, Volumes, Labels, Env } = image.config;
      assert.deepEqual({ User, Entrypoint, Cmd, ExposedPorts, Volumes }, {
        User: `${user}:${user}`, Entrypoint: ["/crdlab"], Cmd: ["serve"], ExposedPorts: { "8080/tcp": {} }, Volumes: { "/data": {} },
      });
      assert.deepEqual(Env.filter((each) => each.startsWith("CRDLAB_")).sort(), ["CRDLAB_ADDR=0.0.0.0:8080", "CRDLAB_STORE=file:///data/links"]);
      for (const name of ["title", "description", "licenses", "source"]) assert.ok(Labels[`org.opencontainers.image.${name}`], name);
      assert.equal(Labels["org.opencontainers.image.version"], version);
    });

    test(`${arch}: contains only a static program and licences`, () => {
      const files = readdirSync(mounts[arch], { recursive: true }).filter((name) => !/^(dev|proc|sys|run|etc)(\/|$)/.test(name)).sort();
      assert.deepEqual(files, ["LICENSE", "THIRD_PARTY_NOTICES", "crdlab", "data", "programs", ...built.map((release) => `programs/${release}`)]);
      assert.match(readFileSync(join(mounts[arch], "etc/ssl/certs/ca-certificates.crt"), "utf8"), /BEGIN CERTIFICATE/);
      const header = elfHeader(join(mounts[arch], "crdlab"));
      assert.equal(header.machine, machines[arch]);
      assert.equal(header.interpreted, false);
      const data = statSync(join(mounts[arch], "data"));
      assert.deepEqual([data.uid, data.gid], [user, user]);
    });
  }

  for (const arch of arches) {
    test(`${arch}: runs without root on a read-only root file system`, async (t) => {
      if (!executes(join(mounts[arch], "crdlab"))) return t.skip("this machine cannot execute programs of this architecture");
      const { url, stop } = await start(mounts[arch], join(scratch, `data-${arch}`));
      try {
        const ask = (path, body) => fetch(url + path, body && { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
        assert.equal((await ask("/readyz")).status, 200);
        assert.equal((await (await ask("/api/v1/version")).json()).version, version);
        const page = await (await ask("/")).text();
        for (const [, path] of page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) assert.equal((await ask(path)).status, 200, path);
        const [{ scenario }] = await (await ask("/examples.json")).json();
        const report = await (await ask("/api/v1/evaluate", scenario)).json();
        assert.equal(report.crd.accepted, true);
        const { engine, releases } = JSON.parse(/<script[^>]*id="config"[^>]*>([^<]*)</.exec(page)[1]);
        assert.deepEqual(releases, built);
        assert.deepEqual(Object.keys(engine.programs ?? {}), built);
        for (const kubernetes of built) {
          assert.equal((await ask(engine.programs[kubernetes].module)).status, 200);
          const older = await (await ask("/api/v1/evaluate", { ...scenario, kubernetes })).json();
          assert.deepEqual([older.crd.accepted, older.kubernetes.approximate ?? false], [true, false], kubernetes);
        }
        const { id } = await (await ask("/api/v1/share", scenario)).json();
        assert.deepEqual(await (await ask(`/s/${id}.json`)).json(), scenario);
      } finally {
        assert.equal(await stop(), 0);
      }
    });
  }
});

/** Reports whether the machine can execute a program, natively or with an emulator. */
const executes = (program) => spawnSync(program, ["-h"]).error === undefined;

/** Creates the base image: a directory with Debian and Node. The build mounts Go. */
function makeBase(directory) {
  run("mmdebstrap", ["--quiet", "--variant=essential", "--include=ca-certificates,make,libstdc++6,libatomic1", "bookworm", directory]);
  const copy = (from, to) => cpSync(from, join(directory, to), { recursive: true, verbatimSymlinks: true });
  copy(process.execPath, "usr/local/bin/node");
  const npm = realpathSync(run("sh", ["-c", "command -v npm"]));
  copy(dirname(dirname(npm)), "usr/local/lib/node_modules/npm");
  for (const file of certificates()) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    copyFileSync(file, join(directory, file));
  }
  return directory;
}

const certificateVariables = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"];
const certificates = () => certificateVariables.map((name) => process.env[name]).filter((file) => file && existsSync(file));

/** The mount points of this machine's Go caches in the base image. */
const caches = { GOMODCACHE: "/cache/mod", GOCACHE: "/cache/build" };

/** Returns the environment of the base image, with this machine's package registries. */
function settings() {
  const names = [...certificateVariables, "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
  return {
    PATH: "/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    GOPROXY: run("go", ["env", "GOPROXY"]),
    GOTOOLCHAIN: "local",
    ...caches,
    npm_config_registry: run("npm", ["config", "get", "registry"]),
    ...Object.fromEntries(names.filter((name) => process.env[name]).map((name) => [name, process.env[name]])),
  };
}

/** Reads the ELF header of a file. */
function elfHeader(file) {
  const content = Buffer.alloc(4096);
  const descriptor = openSync(file);
  readSync(descriptor, content, 0, content.length, 0);
  closeSync(descriptor);
  assert.equal(content.toString("latin1", 0, 4), "\x7fELF");
  const [at, size, count] = [Number(content.readBigUInt64LE(32)), content.readUInt16LE(54), content.readUInt16LE(56)];
  const segments = Array.from({ length: count }, (_, i) => content.readUInt32LE(at + i * size));
  const interpreter = 3;
  return { machine: content.readUInt16LE(18), interpreted: segments.includes(interpreter) };
}

/** Runs the program in the image's file system with a volume at /data. */
async function start(image, data) {
  mkdirSync(data);
  const script = `
    mount --bind "$1" "$1" && mount --bind "$2" "$1/data" && chown ${user}:${user} "$1/data" &&
    mkdir -p "$1/proc" && mount -t proc proc "$1/proc" && mount -o remount,bind,ro "$1" || exit 1
    ! touch "$1/written" 2>/dev/null || exit 1
    export CRDLAB_ADDR=127.0.0.1:0 CRDLAB_STORE=file:///data/links
    exec "$(command -v chroot || echo /usr/sbin/chroot)" --userspec=${user}:${user} "$1" /crdlab`;
  const child = spawn("unshare", ["--mount", "sh", "-c", script, "sh", image, data], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    const lines = [];
    ended.then((code) => reject(new Error(`it ended with ${code}: ${lines.join("\n")}`)));
    createInterface(child.stderr).on("line", (line) => {
      lines.push(line);
      const found = /"url":"(http:[^"]+)"/.exec(line)?.[1];
      if (found) resolve(found);
    });
  });
  return {
    url,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
