/** What the schemas are made of: objects that may have grown, and lists of them. */
import type { JsonValue } from "@capstan/kernel";
import { z } from "zod";
import { JsonValueSchema } from "./json-value.ts";

/**
 * Unknown fields are kept, as long as they are JSON. What passes through an older program on its way to a store or to
 * a reader must not lose there what a newer one wrote, and a provider wants its own data back as it was.
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
