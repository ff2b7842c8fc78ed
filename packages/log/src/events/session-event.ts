/** Events as readers of a session get them: those of the kernel, with the id of the session. */
import type { AgentEvent, EventIds } from "@capstan/kernel";

/** Ids that every event of a session carries. */
export interface SessionIds extends EventIds {
  readonly sessionId: string;
}

/** An event of a session. */
export type SessionEvent = AgentEvent<SessionIds>;
