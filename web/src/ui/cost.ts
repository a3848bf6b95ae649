const units = ["million", "billion", "trillion"];

/** Formats CEL cost units like formatCost in internal/ui; one table tests both. */
export function costText(cost: number): string {
  if (cost < 1e6) return cost.toLocaleString("en-US");
  if (cost >= 1e15) return ">1,000 trillion";
  const unit = Math.min(Math.floor(Math.log10(cost) / 3) - 2, units.length - 1);
  const number = cost / 1000 ** (unit + 2);
  return `${number.toFixed(number < 100 ? 1 : 0).replace(/\.0$/, "")} ${units[unit] ?? ""}`;
}
