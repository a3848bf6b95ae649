import { documentNames, type Scenario } from "../scenario";
import type { Gallery } from "../gallery";
import { sourceAddressOf } from "../remote/source";
import type { Session, SessionState } from "../session";
import { afterPause, throttle } from "../throttle";
import { encode, maxEncoded } from "./codec";
import { formatFragment } from "./fragment";
import type { Place } from "./place";

/** Browsers allow about 50 changes of the address in 30 s. */
const interval = 1000;

/** Longer scenarios, in characters, are too slow to encode at each keystroke. */
const long = 100_000;

function isLong(scenario: Scenario): boolean {
  return documentNames.reduce((sum, name) => sum + scenario[name].length, 0) > long;
}

/** Creates the fragment that restores the state; empty if it is too long. */
export async function fragmentOf(state: SessionState, gallery: Gallery): Promise<string> {
  const { scenario, panel, field } = state;
  const example = gallery.find(scenario);
  if (example) return formatFragment({ example: example.id, panel, field });
  const payload = await encode(scenario);
  return payload.length > maxEncoded ? "" : formatFragment({ payload, panel, field });
}

/** Creates the address of the state: its short link if there is one. */
async function addressOf(state: SessionState, gallery: Gallery, place: Place): Promise<string> {
  const { panel, field } = state;
  const short = place.shortLinkOf(state.scenario);
  if (short) return short + formatFragment({ panel, field });
  const url = sourceAddressOf(state);
  if (url !== undefined) return place.home + formatFragment({ url, panel, field });
  return place.home + (await fragmentOf(state, gallery));
}

/**
 * Updates the address after each edit. While the user edits a long scenario, the
 * address omits it, so that a reload restores the stored session instead.
 */
export function keepAddress(session: Session, gallery: Gallery, place: Place): void {
  // The address of documents that are being fetched is not the present scenario's. A reload fetches them again.
  const isFetching = (): boolean => session.state.source.at === "fetching";
  const update = (): void => {
    if (isFetching()) {
      soon();
      return;
    }
    const { state } = session;
    void addressOf(state, gallery, place).then((address) => {
      if (session.state.scenario === state.scenario && !isFetching()) history.replaceState(history.state, "", address);
    });
  };
  const soon = throttle(interval, update);
  const later = afterPause(interval, update);
  session.subscribe((state, previous) => {
    const isEdited = state.scenario !== previous.scenario;
    if (!isEdited && state.panel === previous.panel && state.field === previous.field) return;
    // Otherwise a link to the same example would change nothing, and not open it.
    if (isEdited && state.origin !== "opened" && location.hash.startsWith("#example=")) history.replaceState(history.state, "", place.home);
    if (!isLong(state.scenario)) {
      soon();
      return;
    }
    const { pathname, search, hash } = location;
    if (isEdited && pathname + search + hash !== place.home) history.replaceState(history.state, "", place.home);
    later();
  });
}
