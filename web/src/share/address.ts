import type { Gallery } from "../gallery";
import type { Session, SessionState } from "../session";
import { throttle } from "../throttle";
import { encode, maxEncoded } from "./codec";
import { formatFragment } from "./fragment";
import type { Place } from "./place";

/** Browsers allow some 50 changes of the address in 30 s. */
const interval = 1000;

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
  return place.home + (await fragmentOf(state, gallery));
}

/** Keeps the address in step with what was typed, once that changed. */
export function keepAddress(session: Session, gallery: Gallery, place: Place): void {
  const update = throttle(interval, () => {
    void addressOf(session.state, gallery, place).then((address) => {
      history.replaceState(history.state, "", address);
    });
  });
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario || state.panel !== previous.panel) update();
  });
}
