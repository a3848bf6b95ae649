import { afterEach, expect, test, vi } from "vitest";

import { permitRepetitions } from "./battery";

afterEach(() => vi.unstubAllGlobals());

function stub(getBattery?: () => Promise<unknown>): EventTarget & { hidden: boolean } {
  const page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal("document", page);
  vi.stubGlobal("navigator", { getBattery });
  return page;
}

test("repetitions are permitted while the page is visible and the battery is not low", async () => {
  const battery = Object.assign(new EventTarget(), { charging: false, level: 0.5 });
  const page = stub(() => Promise.resolve(battery));
  const permitted: boolean[] = [];
  await permitRepetitions((arePermitted) => permitted.push(arePermitted));
  battery.level = 0.2;
  battery.dispatchEvent(new Event("levelchange"));
  battery.charging = true;
  battery.dispatchEvent(new Event("chargingchange"));
  page.hidden = true;
  page.dispatchEvent(new Event("visibilitychange"));
  expect(permitted).toEqual([true, false, true, false]);
});

test("a browser that does not tell the battery permits them", async () => {
  for (const getBattery of [undefined, () => Promise.reject(new Error("not allowed"))]) {
    stub(getBattery);
    const permit = vi.fn();
    await permitRepetitions(permit);
    expect(permit).toHaveBeenLastCalledWith(true);
  }
});
