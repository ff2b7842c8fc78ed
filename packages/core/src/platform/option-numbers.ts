/** Checks numeric options of callers: `NaN` or `null` instead of a limit would be no limit at all. */

/** Range of an option; `Infinity` is always allowed. */
export type NumberRule = "above 0" | "0 or more" | "a whole number above 0" | "a whole number";

const fits: Record<NumberRule, (value: number) => boolean> = {
  "above 0": (value) => value > 0,
  "0 or more": (value) => value >= 0,
  "a whole number above 0": (value) => value > 0 && isWhole(value),
  "a whole number": (value) => value >= 0 && isWhole(value),
};

/** Describes the first value that breaks its rule. Omitted values are not checked. */
export function problemOfNumbers(
  values: object | undefined,
  rules: Readonly<Record<string, NumberRule>>,
  path = "",
): string | undefined {
  if (values === undefined) return undefined;
  if (typeof values !== "object" || values === null) {
    return `${path.slice(0, -1)} must be an object, not ${describe(values)}`;
  }
  for (const [name, rule] of Object.entries(rules)) {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || (typeof value === "number" && fits[rule](value))) continue;
    return `${path}${name} must be ${rule}, or Infinity, not ${describe(value)}`;
  }
  return undefined;
}

function isWhole(value: number): boolean {
  return Number.isInteger(value) || value === Infinity;
}

function describe(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  const isShort = value === null || typeof value === "number" || typeof value === "boolean";
  return isShort ? String(value) : `a value of type ${typeof value}`;
}
