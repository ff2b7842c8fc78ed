/** Creates a source of ids that are the same in every run: `id-1`, `id-2`, … */
export function sequentialIds(prefix = "id"): () => string {
  let count = 0;
  return () => `${prefix}-${(count += 1)}`;
}
