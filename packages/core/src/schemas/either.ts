/** A union of two types that no field distinguishes. */
import { z } from "zod";

/**
 * For a value that matches neither, zod reports only that. Here the message is about the type that the value looks like, with the path in
 * it.
 */
export function either<First, Second>(
  first: z.ZodType<First>,
  second: z.ZodType<Second>,
  looksLikeSecond: (input: unknown) => boolean,
): z.ZodType<First | Second> {
  return z.union([first, second], {
    error: (issue) => {
      if (issue.code !== "invalid_union") return undefined;
      const [ofFirst, ofSecond] = issue.errors;
      return describe((looksLikeSecond(issue.input) ? ofSecond : ofFirst)?.[0]);
    },
  });
}

function describe(issue: z.core.$ZodIssue | undefined): string | undefined {
  if (issue === undefined || issue.path.length === 0) return issue?.message;
  return `${issue.message} (at ${z.core.toDotPath(issue.path)})`;
}
