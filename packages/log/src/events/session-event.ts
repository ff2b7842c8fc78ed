/** Events as readers of a session get them: those of the kernel, with the id of the session. */
import type { AgentEvent, EventIds } from "@capstan/kernel";

export interface SessionIds extends EventIds {
  readonly sessionId: string;
}

export type SessionEvent = AgentEvent<SessionIds>;
