import { documentNames, type Scenario, sameScenario, withoutDefaults } from "./scenario";
import { toScenario } from "./share/codec";

/** Documents that were replaced. */
export interface Entry {
  readonly id: number;
  /** The time of the replacement, in milliseconds since 1970. */
  readonly at: number;
  readonly scenario: Scenario;
}

export const maxEntries = 50;

const storeName = "history";

/** The replaced documents, in the browser's database, which all tabs share. */
export class History {
  #opening: Promise<IDBDatabase> | undefined;

  /** Adds a scenario as the newest entry and removes the same one and the oldest ones. */
  async add(scenario: Scenario): Promise<void> {
    const entries = await this.list();
    const same = entries.filter((entry) => sameScenario(entry.scenario, scenario));
    const others = entries.filter((entry) => !same.includes(entry));
    const removed = [...same, ...others.slice(maxEntries - 1)];
    await this.#write((store) => {
      for (const { id } of removed) store.delete(id);
      store.add({ at: Date.now(), scenario: withoutDefaults(scenario) });
    });
  }

  /** Returns the entries, the newest first. */
  async list(): Promise<readonly Entry[]> {
    const database = await this.#open();
    const request = database.transaction(storeName).objectStore(storeName).getAll();
    const stored = (await resultOf(request)) as readonly { id: number; at: number; scenario: unknown }[];
    return stored.map(({ id, at, scenario }) => ({ id, at, scenario: toScenario(scenario) })).reverse();
  }

  async remove(id: number): Promise<void> {
    await this.#write((store) => store.delete(id));
  }

  async #write(change: (store: IDBObjectStore) => void): Promise<void> {
    const database = await this.#open();
    const transaction = database.transaction(storeName, "readwrite");
    change(transaction.objectStore(storeName));
    await new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the database aborted the change"));
    });
  }

  #open(): Promise<IDBDatabase> {
    this.#opening ??= openDatabase();
    this.#opening.catch(() => (this.#opening = undefined));
    return this.#opening;
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open("crdlab", 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(storeName, { keyPath: "id", autoIncrement: true });
  };
  return resultOf(request);
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the database is not available"));
  });
}

export function isBlank(scenario: Scenario): boolean {
  return documentNames.every((name) => scenario[name].trim() === "");
}

/** Names a scenario by the kinds and names at the start of its object and its CRD. */
export function titleOf({ object, crd }: Scenario): string {
  const name = /\bname["']?:\s*["']?([\w.-]+)/u;
  const kind = /\bkind["']?:\s*["']?(\w+)/u;
  const objectTitle = [kind.exec(object)?.[1], name.exec(object)?.[1]].filter(Boolean).join(" ");
  const titles = [objectTitle, name.exec(crd)?.[1] ?? ""].filter((title) => title !== "");
  return titles.join(" · ") || "Documents without a name";
}
