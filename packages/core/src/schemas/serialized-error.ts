/** An error as it is stored and sent. */
import type { SerializedError } from "@capstan/kernel";
import { z } from "zod";
import { fieldsOf } from "./exact-fields.ts";
import { openObject } from "./open-object.ts";

export const SerializedErrorSchema: z.ZodType<SerializedError> = openObject(
  fieldsOf<SerializedError>()({
    name: z.string(),
    message: z.string(),
    code: z.string().exactOptional(),
  }),
);
