/** The envelope as a zod schema, for output that comes from outside. Nothing in core imports it: zod is not small. */
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { fieldsOf } from "../schemas/exact-fields.ts";

/** Schema of a `ToolOutput`. */
export const ToolOutputSchema: z.ZodType<ToolOutput> = z.object(
  fieldsOf<ToolOutput>()({
    ok: z.boolean(),
    outputMessage: z.string(),
    details: z.unknown().exactOptional(),
    meta: z.record(z.string(), z.unknown()).exactOptional(),
  }),
);
