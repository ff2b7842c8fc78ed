/** Numbers as models send them: as text, or out of range. They are clamped, and a note states it. */
import { z } from "zod";

export interface BoundedNumber {
  readonly value: number;
  /** Set if the model asked for another number. */
  readonly note?: string;
}

export interface Bounds {
  readonly min: number;
  readonly max?: number;
  /** Value if the model sends none. */
  readonly usual: number;
  readonly description: string;
}

/** Models are told the bounds. */
export function boundedNumber(
  name: string,
  { min, max = Number.MAX_SAFE_INTEGER, usual, description }: Bounds,
): z.ZodType<BoundedNumber> {
  return z
    .unknown()
    .optional()
    .meta({ type: "integer", minimum: min, maximum: max, default: usual, description })
    .transform((sent, context): BoundedNumber => {
      if (sent === undefined || sent === null) return { value: usual };
      const asked = toNumber(sent);
      if (asked === undefined) {
        context.addIssue(`${name} must be a whole number`);
        return z.NEVER;
      }
      const value = Math.min(max, Math.max(min, Math.trunc(asked)));
      if (value === asked) return { value };
      const reason = asked > max ? "the maximum" : asked < min ? "the minimum" : "a whole number";
      return { value, note: `${name} is ${value} instead of ${asked}: ${reason}.` };
    });
}

function toNumber(sent: unknown): number | undefined {
  const isText = typeof sent === "string" && sent.trim() !== "";
  const value = isText ? Number(sent) : sent;
  return typeof value === "number" && !Number.isNaN(value) ? value : undefined;
}

/** Notes on all numbers that were clamped. */
export function notesOn(...numbers: readonly BoundedNumber[]): readonly string[] {
  return numbers.flatMap(({ note }) => note ?? []);
}
