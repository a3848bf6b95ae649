// Extends Go's wasm_exec.js, which must run first: Go.start(module) also continues modules
// that wasm/start.mjs has started. The module's section "started" describes the JavaScript
// values that the program holds.

"use strict";

(() => {
	const { Go } = globalThis;

	/** The number of values that every program holds: NaN, 0, null, true, false, globalThis and the program. */
	const common = 7;

	/**
	 * Starts or continues a module until it is ready. Returns its memory, and a promise for its
	 * end. Throws if the environment lacks a value that the program holds.
	 */
	Go.prototype.start = async function (module) {
		hideFiles();
		const [section] = WebAssembly.Module.customSections(module, "started");
		const state = section && JSON.parse(new TextDecoder().decode(section));
		if (state) continueClock(this, state.nanoseconds);
		const instance = await WebAssembly.instantiate(module, this.importObject);
		const ended = state ? { ended: resume(this, instance, state) } : await run(this, instance);
		return { memory: instance.exports.mem, ...ended };
	};

	let announce = () => {};

	/** Programs call this function when they are ready, and hold it afterwards. */
	globalThis.crdlabReady = () => announce();

	/** Runs a program until it is ready. Returns a promise for its end. */
	async function run(go, instance) {
		const ready = new Promise((resolve) => (announce = () => resolve(true)));
		const ended = go.run(instance);
		if (!(await Promise.race([ready, ended]))) throw new Error("the program ended before it was ready");
		return { ended };
	}

	/**
	 * Makes each attempt to open a file fail with ENOENT. wasm_exec.js fails with ENOSYS, which
	 * would become the error for an unknown time zone.
	 */
	function hideFiles() {
		globalThis.fs.open = (...parameters) => {
			const missing = new Error("no such file or directory");
			missing.code = "ENOENT";
			parameters.at(-1)(missing);
		};
	}

	/** Lets the monotonic clock continue at the time when the module was written. */
	function continueClock(go, nanoseconds) {
		const resumed = performance.now();
		go.importObject.gojs["runtime.nanotime1"] = (pointer) => {
			const elapsed = (performance.now() - resumed) * 1e6;
			go.mem.setBigInt64((pointer >>> 0) + 8, BigInt(Math.round(nanoseconds + elapsed)), true);
		};
	}

	/** Does what run does, but for the calls of the program's start. */
	function resume(go, instance, { functions, values, references, free }) {
		for (const [name, id] of Object.entries(functions)) globalThis[name] = go._makeFuncWrapper(id);
		go._inst = instance;
		go.mem = new DataView(instance.exports.mem.buffer);
		go._values = [NaN, 0, null, true, false, globalThis, go, ...values.map(find)];
		go._goRefCounts = references.map((count) => count ?? Infinity);
		go._ids = new Map([[0, 1], [null, 2], [true, 3], [false, 4], [globalThis, 5], [go, 6]]);
		go._values.forEach((value, id) => {
			if (id >= common && value !== null) go._ids.set(value, id);
		});
		go._idPool = free;
		go.exited = false;
		return go._exitPromise;
	}

	/** Finds a value by its path from globalThis. */
	function find(saved) {
		if (saved === null) return null;
		const value = saved.path.split(".").reduce((owner, name) => owner?.[name], globalThis);
		if (typeof value !== saved.type) throw new Error(`${saved.path} is ${typeof value} instead of ${saved.type}`);
		return value;
	}
})();
