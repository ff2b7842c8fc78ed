/** Client-side tools that a client lends to a session. */
import type { Session } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { LentTool, LentToolDeclaration, RequestIssue, SessionConfig } from "@capstan/log";
import type { ClientToolLimits } from "../guard/limits.ts";
import { invalidRequest } from "../guard/server-error.ts";

type ChosenTools = NonNullable<SessionConfig["tools"]>;

/** Converts declarations to the form stored in the log. Fails with `invalid_request`. */
export function toLentTools(
  tools: readonly LentToolDeclaration[],
  lentBy: string | undefined,
  limits: ClientToolLimits | undefined,
): readonly LentTool[] {
  if (tools.length === 0) return [];
  if (limits === undefined) throw refused("", "this server does not accept client-side tools");
  if (tools.length > limits.maxTools) throw refused("", `at most ${limits.maxTools} are allowed`);
  return tools.map((tool, index) => toLent(tool, index, lentBy, limits));
}

function toLent(
  tool: LentToolDeclaration,
  index: number,
  lentBy: string | undefined,
  limits: ClientToolLimits,
): LentTool {
  if (JSON.stringify(tool).length > limits.maxChars) {
    throw refused(`[${index}]`, `a declaration may have at most ${limits.maxChars} characters`);
  }
  const answerWithinMs = Math.min(tool.answerWithinMs ?? Infinity, limits.answerWithinMs);
  return { ...tool, answerWithinMs, ...(lentBy !== undefined && { lentBy }) };
}

/** Replaces the tools that the same client lent before, and lent tools of the same name, by these. */
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

/** Updates the session's tools if they differ. The running turn keeps its tools. */
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
  // A log contains only JSON.
  return hashJson(tools as unknown as JsonValue);
}

function refused(suffix: string, message: string): Error {
  const issue: RequestIssue = { path: `context.tools${suffix}`, message };
  return invalidRequest("Invalid client-side tools", [issue]);
}
