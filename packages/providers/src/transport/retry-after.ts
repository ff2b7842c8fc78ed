/** Parses the wait a vendor asks for. */

/** Milliseconds; undefined if the headers are missing or invalid. `now` is in milliseconds. */
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
  // By the vendor's clock, if known: ours may be wrong.
  return Math.max(0, date - (parseDate(headers?.get("date")) ?? now));
}

/** Accepts only values with a time: `Date.parse` turns any number into a date. */
function parseDate(value: string | null | undefined): number | undefined {
  const date = value?.includes(":") === true ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

function parseNumber(value: string | null | undefined): number | undefined {
  if (value === null || value === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}
