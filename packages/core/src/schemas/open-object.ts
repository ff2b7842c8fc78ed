/** Building blocks of the schemas: objects that may have more fields, and lists of them. */
import type { JsonValue } from "@capstan/kernel";
import { z } from "zod";
import { JsonValueSchema } from "./json-value.ts";

/**
 * Keeps unknown fields if they are JSON. Data that passes through an older program on its way to a store or a reader must not lose what a
 * newer one wrote, and a provider needs its own data back unchanged.
 */
export function openObject<Fields extends z.core.$ZodLooseShape>(
  fields: Fields,
): z.ZodObject<z.core.util.Writeable<Fields>, z.core.$catchall<z.ZodType<JsonValue>>> {
  return z.object(fields).catchall(JsonValueSchema);
}

/** Read-only for the compiler alone: `.readonly()` would freeze the list. */
export function listOf<Item>(item: z.ZodType<Item>): z.ZodType<readonly Item[]> {
  return z.array(item);
}
