/** Three digits, and no more than the figure has. */
export function toShort(value: number): string {
  return value >= 1_000
    ? Math.round(value).toLocaleString("en-US")
    : String(Number(value.toPrecision(3)));
}
