/** Counts the items in a body's lists before a schema validates each of them, which takes a thousand times as long. */

/** Fields whose items are validated one by one. Other lists are the client's own JSON. */
const listed = ["input", "answers", "context", "messages", "tools", "content", "output"];

/** Counts as deep as requests have lists. */
export function countItems(value: unknown, depth = 6): number {
  if (typeof value !== "object" || value === null || depth === 0) return 0;
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + 1 + countItems(item, depth - 1), 0);
  }
  let count = 0;
  for (const name of listed) {
    if (Object.hasOwn(value, name)) {
      count += countItems((value as Readonly<Record<string, unknown>>)[name], depth - 1);
    }
  }
  return count;
}
