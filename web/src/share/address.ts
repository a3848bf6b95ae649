import { documentNames, type Scenario } from "../scenario";
import type { Gallery } from "../gallery";
import { sourceAddressOf } from "../remote/source";
import type { Session, SessionState } from "../session";
import { afterPause, throttle } from "../throttle";
import { encode, maxEncoded } from "./codec";
import { formatFragment } from "./fragment";
import type { Place } from "./place";

/** Browsers allow some 50 changes of the address in 30 s. */
const interval = 1000;

/** Texts of so many characters take too long to pack, and to show, while somebody types. */
const long = 100_000;

function isLong(scenario: Scenario): boolean {
  return documentNames.reduce((sum, name) => sum + scenario[name].length, 0) > long;
}

/** The fragment that restores the state; empty if that is too long. */
export async function fragmentOf(state: SessionState, gallery: Gallery): Promise<string> {
  const { scenario, panel } = state;
  const example = gallery.find(scenario);
  if (example) return formatFragment({ example: example.id, panel });
  const payload = await encode(scenario);
  return payload.length > maxEncoded ? "" : formatFragment({ payload, panel });
}

/** The address that shows the state: the short link, as long as it leads there. */
async function addressOf(state: SessionState, gallery: Gallery, place: Place): Promise<string> {
  const short = place.shortLinkOf(state.scenario);
  if (short) return short + formatFragment({ panel: state.panel });
  const url = sourceAddressOf(state);
  if (url !== undefined) return place.home + formatFragment({ url, panel: state.panel });
  return place.home + (await fragmentOf(state, gallery));
}

/**
 * Keeps the address in step with what was typed, once that changed. While a long
 * text changes, the address is without it, so that a reload brings back what was
 * typed last from where the session is kept.
 */
export function keepAddress(session: Session, gallery: Gallery, place: Place): void {
  const update = (): void => {
    const { state } = session;
    void addressOf(state, gallery, place).then((address) => {
      if (session.state.scenario === state.scenario) history.replaceState(history.state, "", address);
    });
  };
  const soon = throttle(interval, update);
  const later = afterPause(interval, update);
  session.subscribe((state, previous) => {
    const isEdited = state.scenario !== previous.scenario;
    if (!isEdited && state.panel === previous.panel) return;
    if (!isLong(state.scenario)) {
      soon();
      return;
    }
    const { pathname, search, hash } = location;
    if (isEdited && pathname + search + hash !== place.home) history.replaceState(history.state, "", place.home);
    later();
  });
}
