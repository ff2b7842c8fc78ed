/** Sum of two usages, in less code than the kernel's, which is made for speed: a page downloads it. */
import type { Usage } from "@capstan/kernel";

export function sumUsage(first: Usage, second: Usage): Usage {
  const sum: Record<string, number> = { ...first };
  for (const [field, count] of Object.entries(second)) sum[field] = (sum[field] ?? 0) + count;
  return sum;
}
