/** Numbers by what they count. zod's own number is always finite, like JSON's. */
import { z } from "zod";

export const tokens: z.ZodType<number> = z.number().min(0);

/** Steps, attempts and positions, which begin at 0 or 1. */
export const ordinal: z.ZodType<number> = z.int().min(0);

/** Times, durations and money. A clock that is set back makes a duration negative, so there is no lower bound. */
export const amount: z.ZodType<number> = z.number();
