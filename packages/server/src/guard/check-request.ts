/** Validates requests with a schema, and reports the paths of errors. */
import type { RequestIssue } from "@capstan/log";
import { z } from "zod";
import { invalidRequest } from "./server-error.ts";

const maxIssues = 20;
/** Maximum of messages, parts, tools and answers in one body. */
const maxItems = 2_000;

/** Throws `invalid_request` with the paths. */
export function checkRequest<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  if (countItems(value) > maxItems) {
    throw invalidRequest(
      `Invalid ${what}: more than ${maxItems} messages, parts, tools and answers`,
    );
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap((issue) => toIssues(issue, []));
  throw invalidRequest(`Invalid ${what}`, issues.slice(0, maxIssues));
}

/** Query parameters that may contain a secret, which would end up in logs. */
const secretNames = /^(access_?)?token$|^(api_?)?key$|^auth|^secret$|^password$/i;

export function checkQuery<T>(schema: z.ZodType<T>, query: URLSearchParams): T {
  const names = [...query.keys()];
  if (names.some((name) => secretNames.test(name))) {
    throw invalidRequest("Do not send tokens in the URL: use a header");
  }
  if (new Set(names).size < names.length) {
    throw invalidRequest("Duplicate query parameter: each may occur only once");
  }
  return checkRequest(schema, Object.fromEntries(query), "query");
}

type Path = readonly PropertyKey[];

/** For a union, reports the issues of the member that the value resembles most. */
function toIssues(issue: z.core.$ZodIssue, outer: Path): readonly RequestIssue[] {
  const path = [...outer, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: toPath([...path, key]), message: "unknown field" }));
  }
  const inMember = issue.code === "invalid_union" ? ofLikeliest(issue.errors, path) : undefined;
  return inMember ?? [{ path: toPath(path), message: issue.message.slice(0, 300) }];
}

/** Picks the member whose top-level type matches and that has the fewest issues. */
function ofLikeliest(
  members: readonly (readonly z.core.$ZodIssue[])[],
  path: Path,
): readonly RequestIssue[] | undefined {
  const likely = members.filter((issues) => !issues.every(isWrongKind));
  const found = likely.map((issues) => issues.flatMap((issue) => toIssues(issue, path)));
  return found.toSorted((a, b) => a.length - b.length)[0];
}

/** Truncated, because names in it come from the client and may have any length. */
function toPath(path: Path): string {
  return z.core.toDotPath(path).slice(0, 300);
}

function isWrongKind(issue: z.core.$ZodIssue): boolean {
  if (issue.path.length > 0) return false;
  if (issue.code === "invalid_union")
    return issue.errors.every((inner) => inner.every(isWrongKind));
  return issue.code === "invalid_type";
}

/** Fields whose items are validated one by one. Other lists are the client's own JSON. */
const listed = ["input", "answers", "context", "messages", "tools", "content", "output"];

/** Counts the items in a body's lists, as deep as requests have lists: a schema takes a thousand times as long. */
function countItems(value: unknown, depth = 6): number {
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
