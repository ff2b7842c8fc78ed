/** Values that may come from a file, a variable or a flag, with the same rules for all three. */
import type { ThinkingLevel } from "@capstan/kernel";
import { z } from "zod";

const levels: Readonly<Record<ThinkingLevel, true>> = {
  off: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
  max: true,
};
// `Object.keys` returns exactly the keys, but its type does not say so.
const thinkingLevels = Object.keys(levels) as ThinkingLevel[];

export const modelName: z.ZodType<string> = z
  .string({ error: "must be the name of a model in double quotes, such as vendor/id" })
  .regex(/^[^\s\p{Cc}]{1,200}$/u, {
    error: "must be the name of a model, such as vendor/id: 1 to 200 characters without spaces",
  });

export const thinkingLevel: z.ZodType<ThinkingLevel> = z.enum(thinkingLevels, {
  error: `must be one of ${thinkingLevels.join(", ")}`,
});

/** US dollars per turn. */
export const maxCost: z.ZodType<number> = z
  .number({ error: "must be a number of US dollars" })
  .positive({ error: "must be above 0" })
  .max(1_000_000, { error: "must be at most 1000000" });

export const maxSteps: z.ZodType<number> = wholeNumber(1, 10_000);

export const lookMs: z.ZodType<number> = wholeNumber(1, 10_000);

export const storePath: z.ZodType<string> = filePath("a file");

export function wholeNumber(least: number, most: number): z.ZodType<number> {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
}

export function filePath(what: string): z.ZodType<string> {
  return z
    .string({ error: `must be the path of ${what} in double quotes` })
    .regex(/^[^\0]{1,4096}$/, { error: `must be the path of ${what}` })
    .regex(/^(?!~)/, {
      error: "must not start with ~, which is not expanded: use an absolute path",
    });
}
