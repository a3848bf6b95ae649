import { element } from "../dom";
import { read, write } from "../local";

interface SplitOptions {
  /** The id of the separator. */
  readonly id: string;
  /** The custom property on the separator's parent that receives the share. */
  readonly property: string;
  /** Converts a pointer's position in the parent to a share in percent. */
  readonly share: (event: PointerEvent, parent: DOMRect) => number;
  /** The keys that decrease and increase the share. */
  readonly keys: readonly [smaller: string, larger: string];
}

/** Binds the separators between the panes. */
export function bindSplits(): void {
  const fromLeft = {
    share: (event: PointerEvent, parent: DOMRect) => (100 * (event.clientX - parent.left)) / parent.width,
    keys: ["ArrowLeft", "ArrowRight"],
  } as const;
  bindSplit({ id: "split", property: "--documents-width", ...fromLeft });
  bindSplit({ id: "wide-split", property: "--documents-wide-width", ...fromLeft });
  bindSplit({ id: "columns-split", property: "--crd-width", ...fromLeft });
  bindSplit({
    id: "rows-split",
    property: "--crd-height",
    share: (event, parent) => (100 * (event.clientY - parent.top)) / parent.height,
    keys: ["ArrowUp", "ArrowDown"],
  });
  bindSplit({
    id: "problems-split",
    property: "--problems-height",
    share: (event, parent) => (100 * (parent.bottom - event.clientY)) / parent.height,
    keys: ["ArrowDown", "ArrowUp"],
  });
}

/** Binds a separator to pointer and keyboard, and stores its position. */
function bindSplit({ id, property, share, keys }: SplitOptions): void {
  const separator = element(id, HTMLElement);
  const parent = separator.parentElement;
  if (!parent) return;
  const limit = (name: string): number => Number(separator.getAttribute(name));
  const standard = limit("aria-valuenow");
  const key = `crdlab.${id}`;

  const place = (percent: number): void => {
    const within = Math.min(Math.max(percent, limit("aria-valuemin")), limit("aria-valuemax"));
    const rounded = Math.round(within * 10) / 10;
    separator.setAttribute("aria-valuenow", String(Math.round(rounded)));
    parent.style.setProperty(property, `${rounded}%`);
    write(key, String(rounded));
  };

  const remembered = Number(read(key) ?? Number.NaN);
  if (Number.isFinite(remembered)) place(remembered);

  separator.addEventListener("pointerdown", (event) => {
    separator.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  separator.addEventListener("pointermove", (event) => {
    if (!separator.hasPointerCapture(event.pointerId)) return;
    place(share(event, parent.getBoundingClientRect()));
  });
  separator.addEventListener("dblclick", () => place(standard));
  separator.addEventListener("keydown", (event) => {
    const now = limit("aria-valuenow");
    const target = targetOf(event.key, now);
    if (target === undefined) return;
    event.preventDefault();
    place(target);
  });

  function targetOf(pressed: string, now: number): number | undefined {
    switch (pressed) {
      case keys[0]:
        return now - 2;
      case keys[1]:
        return now + 2;
      case "Home":
        return limit("aria-valuemin");
      case "End":
        return limit("aria-valuemax");
      case "Enter":
        return standard;
      default:
        return undefined;
    }
  }
}
