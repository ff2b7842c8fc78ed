/** How long a vendor asks to wait. */

/** Milliseconds; undefined where the headers do not say, or not in a way that can be read. `now` is a time in milliseconds. */
export function parseRetryAfter(
  headers: Headers | undefined,
  now: number = Date.now(),
): number | undefined {
  const precise = parseNumber(headers?.get("retry-after-ms"));
  if (precise !== undefined) return precise;
  const value = headers?.get("retry-after");
  const seconds = parseNumber(value);
  if (seconds !== undefined) return Math.round(seconds * 1_000);
  const date = parseDate(value);
  if (date === undefined) return undefined;
  // By the vendor's clock, where it shows it: ours may be wrong.
  return Math.max(0, date - (parseDate(headers?.get("date")) ?? now));
}

/** Only what has a time in it: `Date.parse` makes a date of any number. */
function parseDate(value: string | null | undefined): number | undefined {
  const date = value?.includes(":") === true ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

function parseNumber(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}
