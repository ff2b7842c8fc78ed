/** Tools that a client lends to a session. */
import type { Session } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { LentTool, LentToolDeclaration, RequestIssue, SessionConfig } from "@capstan/log";
import type { ClientToolLimits } from "../guard/limits.ts";
import { invalidRequest } from "../guard/server-error.ts";

type ChosenTools = NonNullable<SessionConfig["tools"]>;

/** As the log holds them. Fails with `invalid_request`. */
export function toLentTools(
  tools: readonly LentToolDeclaration[],
  lentBy: string | undefined,
  limits: ClientToolLimits | undefined,
): readonly LentTool[] {
  if (tools.length === 0) return [];
  if (limits === undefined) throw refused("", "this server takes no tools from clients");
  if (tools.length > limits.maxTools) throw refused("", `there may be ${limits.maxTools} at most`);
  return tools.map((tool, place) => toLent(tool, place, lentBy, limits));
}

function toLent(
  tool: LentToolDeclaration,
  place: number,
  lentBy: string | undefined,
  limits: ClientToolLimits,
): LentTool {
  if (JSON.stringify(tool).length > limits.maxChars) {
    throw refused(`[${place}]`, `a declaration may have ${limits.maxChars} characters at most`);
  }
  const answerWithinMs = Math.min(tool.answerWithinMs ?? Infinity, limits.answerWithinMs);
  return { ...tool, answerWithinMs, ...(lentBy !== undefined && { lentBy }) };
}

/** Those that the session has, with these in the place of what the same client, or anybody under the same name, had lent before. */
export function withLent(
  chosen: ChosenTools,
  lent: readonly LentTool[],
  lentBy: string | undefined,
): ChosenTools {
  const names = new Set(lent.map(({ name }) => name));
  const others = chosen.filter((tool) => {
    if (typeof tool === "string") return true;
    return tool.lentBy !== lentBy && !names.has(tool.name);
  });
  return [...others, ...lent];
}

/** Changes what a session has, if it does change. What a turn under way has stays as it is. */
export async function lendTools(
  session: Session,
  own: readonly string[],
  lent: readonly LentTool[],
  lentBy: string | undefined,
): Promise<void> {
  const before = session.config.tools ?? own;
  const after = withLent(before, lent, lentBy);
  if (hashOf(before) !== hashOf(after)) await session.configure({ tools: after });
}

function hashOf(tools: ChosenTools): string {
  // What a log holds is JSON.
  return hashJson(tools as unknown as JsonValue);
}

function refused(place: string, message: string): Error {
  const issue: RequestIssue = { path: `context.tools${place}`, message };
  return invalidRequest("These tools cannot be lent", [issue]);
}
