const units = ["k", "M", "G", "T", "P", "E"];

/** Formats CEL cost units like formatCost in internal/ui; one table tests both. */
export function costText(cost: number): string {
  if (cost < 10_000) return String(cost);
  const thousands = Math.min(Math.floor(Math.log10(cost) / 3), units.length);
  const number = cost / 1000 ** thousands;
  return `${number.toFixed(number < 100 ? 1 : 0).replace(/\.0$/, "")} ${units[thousands - 1] ?? ""}`;
}
