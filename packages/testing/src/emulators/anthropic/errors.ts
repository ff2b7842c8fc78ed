/** Error messages of the Messages API. */
import type { Emulation } from "../emulation.ts";
import type { JsonObject } from "../json.ts";
import { asText, isList } from "../json.ts";
import { Refusal } from "../refusal.ts";
import type { Failures, VendorFailures } from "../scripted-failure.ts";
import type { Path, ShapeIssue } from "../shape.ts";

export function errorBody({ type, message }: Refusal, requestId: string): JsonObject {
  return { type: "error", error: { type, message }, request_id: requestId };
}

export const wrong: Emulation["wrong"] = {
  path: () => new Refusal("Not Found", { status: 404, type: "not_found_error" }),
  method: () => new Refusal("Method Not Allowed", { status: 405 }),
  json: (reason) => new Refusal(`The request body is not valid JSON: ${reason}`),
  tooLarge: () =>
    new Refusal("Request exceeds the maximum size", { status: 413, type: "request_too_large" }),
};

const failures: Failures = {
  auth: { status: 401, type: "authentication_error", message: "invalid x-api-key" },
  rate_limit: {
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your organization's rate limit of 50 requests per minute.",
  },
  overloaded: { status: 529, type: "overloaded_error", message: "Overloaded" },
  context_overflow: { message: "prompt is too long: 200001 tokens > 200000 maximum" },
  invalid_request: { message: "scripted invalid_request" },
  content_filter: { message: "Output blocked by content filtering policy" },
};

export const vendorFailures: VendorFailures = {
  failures,
  internal: { type: "api_error" },
  retryAfter: (ms) => ({ headers: { "retry-after": String(Math.ceil(ms / 1000)) } }),
};

export function toShapeRefusal(issue: ShapeIssue): Refusal {
  return new Refusal(`${toPath(issue.path)}: ${describe(issue)}`);
}

function toPath(path: Path): string {
  return path.map((segment) => (typeof segment === "object" ? segment.tag : segment)).join(".");
}

const kindNames = {
  string: "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  object: "dictionary",
  array: "list",
  null: "null",
} as const;

function describe(issue: ShapeIssue): string {
  switch (issue.kind) {
    case "missing":
      return "Field required";
    case "unknown":
      return "Extra inputs are not permitted";
    case "type":
      return `Input should be a valid ${kindNames[issue.expected[0] ?? "object"]}`;
    case "choice":
      return `Input should be ${either(issue.choices)}`;
    case "tag":
      return `Input tag '${asText(issue.value)}' found using '${issue.key}' does not match any of the expected tags: ${issue.choices.map(quote).join(", ")}`;
    case "below":
      return `Input should be greater than or equal to ${issue.limit}`;
    case "above":
      return `Input should be less than or equal to ${issue.limit}`;
    case "short":
      return `${sizeOf(issue.value)} should have at least ${issue.limit} ${unitOf(issue)}`;
    case "long":
      return `${sizeOf(issue.value)} should have at most ${issue.limit} ${unitOf(issue)}`;
    case "pattern":
      return `String should match pattern '${issue.pattern}'`;
    default:
      return issue satisfies never;
  }
}

function sizeOf(value: Extract<ShapeIssue, { kind: "short" | "long" }>["value"]): string {
  return isList(value) ? "List" : "String";
}

function unitOf(issue: Extract<ShapeIssue, { kind: "short" | "long" }>): string {
  if (isList(issue.value)) return `item after validation, not ${issue.value.length}`;
  return issue.limit === 1 ? "character" : "characters";
}

function either(choices: readonly string[]): string {
  const quoted = choices.map(quote);
  const last = quoted.at(-1) ?? "";
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(", ")} or ${last}`;
}

function quote(text: string): string {
  return `'${text}'`;
}
