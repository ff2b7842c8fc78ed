/** The child sessions of a session, as its callers see them. */
import type { ChildStep } from "@capstan/kernel";
import type { Child } from "@capstan/log";
import type { ChildMode } from "../tools/other-agents.ts";

/** A call that a child session works on, or has worked on. `host.open(sessionId)` opens the child. */
export interface SessionChild extends ChildStep {
  readonly mode: ChildMode;
  /** `waiting`: calls are pending in it; the session shows them, with the path in `via`. */
  readonly state: "working" | "waiting" | "ended";
}

export function toSessionChild(child: Child): SessionChild {
  const { childId: sessionId, agent, toolCallId, isBackground } = child;
  const mode = isBackground ? "background" : "awaited";
  return { agent, sessionId, toolCallId, mode, state: stateOf(child) };
}

function stateOf({ isEnded, isCut, lastReport }: Child): SessionChild["state"] {
  if (isEnded || isCut || lastReport?.type === "ended") return "ended";
  return lastReport?.type === "waiting" ? "waiting" : "working";
}
