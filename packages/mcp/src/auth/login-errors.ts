/** Errors of servers that want a login, or another one. */
import { cleanText } from "../elicitation/clean-text.ts";
import { McpError } from "../errors/mcp-error.ts";
import { unionOf } from "./scopes.ts";

export function loginRequired(name: string, problem = "it wants a login"): McpError {
  const text = `The MCP server "${name}" cannot be used: ${problem}. Run: capstan mcp login ${name}`;
  return new McpError("login_required", name, text);
}

/** The SDK marks its errors with fields: it may be installed twice, and then its classes are others. */
interface Fields {
  readonly name?: unknown;
  readonly status?: unknown;
  readonly requiredScope?: unknown;
  readonly cause?: unknown;
}

/** Finds out whether a failure is about the login; undefined if it is about something else. */
export function loginFailure(name: string, thrown: unknown): McpError | undefined {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    if (at instanceof McpError) return at;
    const { name: kind, status, requiredScope } = at as Fields;
    if (kind === "InsufficientScopeError") return insufficientScope(name, requiredScope, at);
    if (kind === "UnauthorizedError") return loginRequired(name);
    if (status === 401) return loginRequired(name, "it refuses the login");
  }
  return undefined;
}

function insufficientScope(name: string, required: unknown, cause: Error): McpError {
  const scope = typeof required === "string" ? unionOf(required) : undefined;
  const wants = scope === undefined ? "another scope" : `the scope "${cleanText(scope, 500)}"`;
  const text = `The MCP server "${name}" wants ${wants}, which the login does not have. Run: capstan mcp login ${name}`;
  return new McpError("insufficient_scope", name, text, { cause });
}
