import type { Gallery } from "../gallery";
import type { Session, SessionState } from "../session";
import { throttle } from "../throttle";
import { encode, maxEncoded } from "./codec";
import { formatFragment } from "./fragment";

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

/** Keeps the address in step with what was typed, once that changed. */
export function keepAddress(session: Session, gallery: Gallery): void {
  const update = throttle(interval, () => {
    void fragmentOf(session.state, gallery).then((fragment) => {
      const { pathname, search } = location;
      history.replaceState(history.state, "", `${pathname}${search}${fragment}`);
    });
  });
  session.subscribe((state, previous) => {
    if (state.scenario !== previous.scenario || state.panel !== previous.panel) update();
  });
}
