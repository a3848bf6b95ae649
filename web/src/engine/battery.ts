/** The state of the battery, which only some browsers tell. */
interface Battery extends EventTarget {
  readonly charging: boolean;
  readonly level: number;
}

/** The share of its charge from which systems save a battery. */
const lowCharge = 0.2;

/** Permits repetitions of evaluations only while the page is visible and the battery is not low. */
export async function permitRepetitions(permit: (arePermitted: boolean) => void): Promise<void> {
  const { getBattery } = navigator as { getBattery?: () => Promise<Battery> };
  const battery = await getBattery?.call(navigator).catch(() => undefined);
  const tell = (): void => {
    const isLow = battery !== undefined && !battery.charging && battery.level <= lowCharge;
    permit(!document.hidden && !isLow);
  };
  document.addEventListener("visibilitychange", tell);
  for (const change of ["chargingchange", "levelchange"]) battery?.addEventListener(change, tell);
  tell();
}
