import type { Config } from "../config";
import { sameScenario, type Scenario } from "../scenario";

/** Where the page is, and which short links lead to it. */
export class Place {
  /** The page's address without a fragment. */
  readonly home: string;
  /** The address that keeps scenarios for short links; empty if none does. */
  readonly shares: string;
  readonly #origin: string;
  readonly #known: { readonly id: string; readonly scenario: Scenario }[] = [];

  /** served is the scenario of the short link that the page was opened by, if any. */
  constructor(
    { home, share, shared }: Config,
    { origin, pathname, search }: Pick<Location, "origin" | "pathname" | "search">,
    served: Scenario,
  ) {
    this.home = (home || pathname) + search;
    this.shares = share;
    this.#origin = origin;
    if (shared) this.learn(shared, served);
  }

  /** Keeps in mind that a short link leads to a scenario. */
  learn(id: string, scenario: Scenario): void {
    this.#known.push({ id, scenario });
  }

  /** The address of the short link to a scenario, as far as one is known. */
  shortLinkOf(scenario: Scenario): string | undefined {
    const found = this.#known.find((link) => sameScenario(link.scenario, scenario));
    return found && `/s/${found.id}`;
  }

  absolute(address: string): string {
    return this.#origin + address;
  }
}
