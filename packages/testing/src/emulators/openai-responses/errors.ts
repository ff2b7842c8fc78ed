/** Error messages of the Responses API. */
import type { Emulation } from "../emulation.ts";
import { asText, isList, kindOf } from "../json.ts";
import type { JsonKind, JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import type { Failures, VendorFailures } from "../scripted-failure.ts";
import { openAiRetryAfter } from "../scripted-failure.ts";
import type { ShapeIssue } from "../shape.ts";
import { toBracketPath } from "../shape.ts";

export function errorBody(refusal: Refusal): JsonObject {
  return { error: errorOf(refusal) };
}

export function errorOf({ message, type, param, code }: Refusal): JsonObject {
  return { message, type, param, code };
}

/** Refusal of an invalid parameter. */
export function invalid(message: string, param: string, code: string | null = null): Refusal {
  return new Refusal(message, { param, code });
}

export const wrong: Emulation["wrong"] = {
  path: (method, path) => new Refusal(`Invalid URL (${method} ${path})`, { status: 404 }),
  method: (method, path) =>
    new Refusal(`Invalid method for URL (${method} ${path})`, { status: 405 }),
  json: (reason) =>
    new Refusal(
      `We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON: ${reason})`,
    ),
  tooLarge: () => new Refusal("Request entity too large", { status: 413 }),
};

/** Refusals of OpenAI; those of its chat protocol differ in one. */
export const openAiFailures: Failures = {
  auth: { status: 401, code: "invalid_api_key", message: "Incorrect API key provided." },
  rate_limit: {
    status: 429,
    type: "requests",
    code: "rate_limit_exceeded",
    message: "Rate limit reached for requests. Please try again in 1s.",
  },
  overloaded: {
    status: 503,
    type: "service_unavailable_error",
    code: "server_is_overloaded",
    message: "Our servers are currently overloaded. Please try again later.",
  },
  context_overflow: {
    param: "input",
    code: "context_length_exceeded",
    message:
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
  },
  invalid_request: { code: "invalid_prompt", message: "Invalid prompt." },
  content_filter: {
    code: "content_policy_violation",
    message: "Your request was rejected as a result of our safety system.",
  },
};

export const vendorFailures: VendorFailures = {
  failures: openAiFailures,
  internal: { type: "server_error", code: "server_error" },
  retryAfter: openAiRetryAfter,
};

/** The APIs differ in their name for an array. */
export function toShapeRefusal(issue: ShapeIssue, arrayName = "array"): Refusal {
  const path = toBracketPath(issue.path);
  switch (issue.kind) {
    case "missing":
      return invalid(`Missing required parameter: '${path}'.`, path, "missing_required_parameter");
    case "unknown":
      return invalid(`Unknown parameter: '${path}'.`, path, "unknown_parameter");
    case "type": {
      const got = withArticle(kindOf(issue.value));
      const wanted = expectation(issue.expected, arrayName);
      const message = `Invalid type for '${path}': expected ${wanted}, but got ${got} instead.`;
      return invalid(message, path, "invalid_type");
    }
    case "choice":
    case "tag": {
      const values = toList(issue.choices);
      const message = `Invalid value: '${asText(issue.value)}'. Supported values are: ${values}.`;
      return invalid(message, path, "invalid_value");
    }
    case "below":
      return outOfRange(path, issue.limit, issue.value, "below minimum", ">=", "below_min");
    case "above":
      return outOfRange(path, issue.limit, issue.value, "above maximum", "<=", "above_max");
    case "short":
      return tooShort(path, isList(issue.value) ? "array" : "string", issue.limit);
    case "long":
      return tooLong(
        path,
        isList(issue.value) ? "array" : "string",
        issue.limit,
        issue.value.length,
      );
    case "pattern":
      return invalid(
        `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${issue.pattern}'.`,
        path,
        "invalid_value",
      );
    default:
      return issue satisfies never;
  }
}

function outOfRange(
  path: string,
  limit: number,
  value: number,
  side: string,
  sign: string,
  code: string,
): Refusal {
  const kind = Number.isInteger(value) && Number.isInteger(limit) ? "integer" : "decimal";
  return invalid(
    `Invalid '${path}': ${kind} ${side} value. Expected a value ${sign} ${limit}, but got ${value} instead.`,
    path,
    `${kind}_${code}_value`,
  );
}

function tooShort(path: string, kind: string, limit: number): Refusal {
  const article = kind === "array" ? "an" : "a";
  return invalid(
    `Invalid '${path}': empty ${kind}. Expected ${article} ${kind} with minimum length ${limit}, but got an empty ${kind} instead.`,
    path,
    `empty_${kind}`,
  );
}

function tooLong(path: string, kind: string, limit: number, length: number): Refusal {
  const article = kind === "array" ? "an" : "a";
  return invalid(
    `Invalid '${path}': ${kind} too long. Expected ${article} ${kind} with maximum length ${limit}, but got ${article} ${kind} with length ${length} instead.`,
    path,
    `${kind}_above_max_length`,
  );
}

function expectation(kinds: readonly JsonKind[], arrayName: string): string {
  const [first = "object", ...rest] = kinds
    .filter((kind) => kind !== "null")
    .map((kind) => (kind === "array" ? arrayName : nameOf(kind)));
  if (rest.length === 0) return article(first);
  return `one of ${article(first)} or ${rest.join(" or ")}`;
}

function nameOf(kind: JsonKind): string {
  return kind === "number" ? "decimal" : kind;
}

function withArticle(kind: JsonKind): string {
  return kind === "null" ? "null" : article(nameOf(kind));
}

function article(name: string): string {
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

export function toList(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.at(-1) ?? "";
  if (quoted.length < 2) return last;
  if (quoted.length === 2) return `${quoted[0]} and ${last}`;
  return `${quoted.slice(0, -1).join(", ")}, and ${last}`;
}
