/** An error as it is stored and sent. */
import type { PartReference, SerializedError } from "@capstan/kernel";
import { z } from "zod";
import { fieldsOf } from "./exact-fields.ts";
import { openObject } from "./open-object.ts";

const PartReferenceSchema: z.ZodType<PartReference> = openObject(
  fieldsOf<PartReference>()({ messageId: z.string(), part: z.number() }),
);

/** Schema of a `SerializedError`. */
export const SerializedErrorSchema: z.ZodType<SerializedError> = openObject(
  fieldsOf<SerializedError>()({
    name: z.string(),
    message: z.string(),
    code: z.string().exactOptional(),
    rejected: PartReferenceSchema.exactOptional(),
    guard: z.string().exactOptional(),
  }),
);
