/** Context of a session's turn, from its log. */
import type { SessionConfig, SessionFold, TurnOrigin } from "@capstan/log";
import type { GivenContext } from "../agent/planned-context.ts";
import type { SessionContext, SessionInfo } from "../tools/turn-context.ts";
import type { SessionLog } from "./session-log.ts";
import type { TurnAction } from "./turn-input.ts";

/** Session as a turn with this configuration sees it. */
function sessionInfo(
  { id, fold: { created } }: Pick<SessionLog, "id" | "fold">,
  config: SessionConfig,
): SessionInfo {
  const { principal, metadata } = created ?? {};
  const current = config.metadata === undefined ? metadata : config.metadata;
  return {
    id,
    ...(principal !== undefined && { principal }),
    ...(current !== undefined && { metadata: current }),
  };
}

/** Context of dependencies that live as long as the session is open here. */
export function contextOfSession(log: SessionLog): SessionContext {
  return new LiveSession(log);
}

/** A class: V8 makes a hidden class for each object literal with a getter, in the old space, where it keeps the whole session from being collected soon. */
class LiveSession implements SessionContext {
  readonly #log: SessionLog;

  constructor(log: SessionLog) {
    this.#log = log;
  }

  get session(): SessionInfo {
    const { turn, config } = this.#log.fold;
    return sessionInfo(this.#log, turn?.isOver === false ? turn.config : config);
  }
}

/** A turn of the session, before it runs. */
export interface TurnToPlan {
  readonly turnId: string;
  readonly config: SessionConfig;
  readonly origin: TurnOrigin;
}

/**
 * Turn of an action. A resumed turn keeps the configuration it started with, and one that continues another the origin of the first. `drafted`:
 * the origin of a turn whose input is not in the log.
 */
export function turnOf(action: TurnAction, fold: SessionFold, drafted?: TurnOrigin): TurnToPlan {
  const { turnId } = action;
  const config = (action.type === "resume" ? fold.turn?.config : undefined) ?? fold.config;
  if (drafted !== undefined) return { turnId, config, origin: drafted };
  const origin = action.type === "start" ? fold.originOf(action.input) : fold.turn?.origin;
  return { turnId, config, origin: origin ?? {} };
}

export function contextOf(log: SessionLog, { turnId, config, origin }: TurnToPlan): GivenContext {
  const { metadata, app = log.fold.created?.app } = origin;
  return {
    session: sessionInfo(log, config),
    turn: { id: turnId, ...(metadata !== undefined && { metadata }) },
    ...(app !== undefined && { app }),
  };
}
