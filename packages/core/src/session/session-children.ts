/** The child sessions of a session, as its callers see them. */
import type { Child } from "@capstan/log";
import type { ChildMode } from "../tools/other-agents.ts";

/** A child session. `host.open(childId)` opens it. */
export interface SessionChild {
  readonly childId: string;
  /** Name of its agent. */
  readonly agent: string;
  /** The call that started it. */
  readonly toolCallId: string;
  readonly mode: ChildMode;
  /** `waiting`: calls are pending in it; the session shows them, with the path in `via`. */
  readonly state: "working" | "waiting" | "ended";
}

export function toSessionChild(child: Child): SessionChild {
  const { childId, agent, toolCallId, isBackground } = child;
  const mode = isBackground ? "background" : "awaited";
  return { childId, agent, toolCallId, mode, state: stateOf(child) };
}

function stateOf({ isEnded, isCut, lastReport }: Child): SessionChild["state"] {
  if (isEnded || isCut || lastReport?.type === "ended") return "ended";
  return lastReport?.type === "waiting" ? "waiting" : "working";
}
