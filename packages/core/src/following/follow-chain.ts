/** Finds the turn that an input started, or the last one that continues it, and follows it: in any process, at any time. */
import type { PlacedEvent, SessionFold } from "@capstan/log";
import { chainMark, startCursor } from "@capstan/log";
import type { SessionRuntime } from "../host/session-runtime.ts";
import { replay } from "./replay.ts";
import type { TurnSession } from "./session-turn.ts";
import { SessionTurn } from "./session-turn.ts";

/** Resolves with undefined if the log has no such input, or none at all. */
export async function followChain(
  inputId: string | undefined,
  runtime: SessionRuntime,
  session: TurnSession,
  now: () => number,
): Promise<SessionTurn | undefined> {
  const { log, readers } = runtime;
  // The input may be one that this process has not read yet.
  await log.catchUp();
  const { fold } = log;
  const wanted = inputId === undefined ? lastOf(fold) : fold.turnIdOf(inputId);
  if (wanted === undefined) return undefined;
  const rootId = rootOf(wanted);
  let last: SessionTurn | undefined;
  const show = (events: readonly PlacedEvent[]): void => {
    for (const { event } of events) {
      if (rootOf(event.turnId) !== rootId) continue;
      if (last?.id !== event.turnId) last = new SessionTurn(event.turnId, session);
      last.take(event);
    }
  };
  const join = (): void => {
    const action = log.fold.nextAction(now());
    const isAhead = action.type === "start" || action.type === "continue";
    if (isAhead && rootOf(action.turnId) === rootId) {
      last = new SessionTurn(action.turnId, session);
    }
    if (last?.isOver === false) readers.addTurn(last, last.id);
  };
  await replay(runtime, startCursor, { show, join });
  return last;
}

/** Id of a turn of the last chain; undefined if there is none. */
function lastOf({ acceptedInput, turn }: SessionFold): string | undefined {
  return acceptedInput?.id ?? turn?.turnId;
}

function rootOf(turnId: string): string {
  return turnId.split(chainMark, 1)[0] ?? turnId;
}
