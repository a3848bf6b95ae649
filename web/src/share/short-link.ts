import { type Scenario, withoutDefaults } from "../scenario";
import { element } from "../dom";
import { problemOf } from "../engine/http-client";
import type { Session, SessionState } from "../session";
import { formatFragment } from "./fragment";
import type { Place } from "./place";

/** The time limit for storing, in ms. */
const timeout = 30_000;

/** Stores a scenario on the server and returns the id of its short link. */
export async function keep(address: string, scenario: Scenario): Promise<string> {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(withoutDefaults(scenario)),
    signal: AbortSignal.timeout(timeout),
  });
  if (!response.ok) throw new Error(await problemOf(response));
  const answer = (await response.json()) as { readonly id?: unknown };
  if (typeof answer.id !== "string") throw new Error("the server answered without an id");
  return answer.id;
}

/**
 * Shows the scenario's short link in the dialog, with the shown panel, or the button that creates it, if
 * the server stores links. preferred marks it as the recommended link.
 */
export function showShortLink({ scenario, panel, field }: SessionState, place: Place, preferred: boolean): void {
  const known = place.shortLinkOf(scenario);
  const make = element("short-make", HTMLButtonElement);
  element("short", HTMLElement).hidden = place.shares === "";
  element("short-link", HTMLInputElement).value = known ? place.absolute(known) + formatFragment({ panel, field }) : "";
  element("short-copy", HTMLButtonElement).hidden = known === undefined;
  element("short-state", HTMLElement).textContent = "";
  make.hidden = known !== undefined;
  make.disabled = false;
  make.classList.toggle("is-primary", preferred);
  if (!preferred || place.shares === "") return;
  if (known) element("short-link", HTMLInputElement).select();
  else make.focus();
}

/** Binds the button that stores the scenario on the server. */
export function bindShortLink(session: Session, place: Place): void {
  const make = element("short-make", HTMLButtonElement);
  const state = element("short-state", HTMLElement);
  make.addEventListener("click", () => {
    const { scenario } = session.state;
    make.disabled = true;
    state.textContent = "Storing…";
    keep(place.shares, scenario).then(
      (id) => {
        place.addShortLink(id, scenario);
        showShortLink({ ...session.state, scenario }, place, true);
      },
      (error: unknown) => {
        make.disabled = false;
        state.textContent = `No short link: ${error instanceof Error ? error.message : String(error)}`;
      },
    );
  });
}
