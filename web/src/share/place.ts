import type { Config } from "../config";
import { sameScenario, type Scenario } from "../scenario";

/** The address of the page and its known short links. */
export class Place {
  /** The page's address without a fragment. */
  readonly home: string;
  /** The address that stores scenarios for short links; empty without a store. */
  readonly shares: string;
  readonly #origin: string;
  readonly #known: { readonly id: string; readonly scenario: Scenario }[] = [];

  /** served is the scenario of the short link that opened the page, if any. */
  constructor(
    { home, share, shared }: Config,
    { origin, pathname, search }: Pick<Location, "origin" | "pathname" | "search">,
    served: Scenario,
  ) {
    this.home = (home || pathname.replace(/embed\.html$/, "")) + search;
    this.shares = share;
    this.#origin = origin;
    if (shared) this.addShortLink(shared, served);
  }

  /** Records the short link of a scenario. */
  addShortLink(id: string, scenario: Scenario): void {
    this.#known.push({ id, scenario });
  }

  /** Returns the address of the short link to a scenario, if one is known. */
  shortLinkOf(scenario: Scenario): string | undefined {
    const found = this.#known.find((link) => sameScenario(link.scenario, scenario));
    return found && `/s/${found.id}`;
  }

  absolute(address: string): string {
    return this.#origin + address;
  }
}
