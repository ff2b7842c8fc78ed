/** The state of a turn and of those that continue it: at work, waiting for answers, or over. */
import type { Clock, PendingCall, Session, TurnResponse } from "@capstan/core";
import { unknownTask } from "./serving-error.ts";

export type TurnRest =
  | { readonly state: "waiting"; readonly calls: readonly PendingCall[] }
  | { readonly state: "over"; readonly response: TurnResponse };

/** Hints of other processes may be lost. */
const lookAgainMs = 2_000;
/** Time for the response of a turn that is over. */
const readMs = 1_000;

/** Resolves once nothing more happens without an answer, or with undefined once `left` resolves. Throws `invalid_params` if there is no such turn. */
export async function restOf(
  session: Session,
  turnId: string,
  clock: Clock,
  left: Promise<undefined>,
): Promise<TurnRest | undefined> {
  for (;;) {
    const change = nextChange(session, clock);
    try {
      const turn = await session.follow(turnId);
      if (turn === undefined) throw unknownTask();
      const response = await Promise.race([turn.response, left]);
      if (response === undefined) return undefined;
      const rest = toRest(session, response);
      if (rest !== undefined) return rest;
      if ((await Promise.race([change.promise, left])) === undefined) return undefined;
    } finally {
      change.stop();
    }
  }
}

/** Like `restOf`, at this moment: undefined if the turn is at work. */
export async function restNow(
  session: Session,
  turnId: string,
  clock: Clock,
): Promise<TurnRest | undefined> {
  await session.refresh();
  const turn = await session.follow(turnId);
  if (turn === undefined) throw unknownTask();
  if (session.status === "running") {
    const current = await session.follow();
    if (current?.id === turn.id) return undefined;
  }
  // One that is over has a response at once.
  const late = Promise.withResolvers<undefined>();
  const cancel = clock.timer(readMs, () => late.resolve(undefined));
  const response = await Promise.race([turn.response, late.promise]);
  cancel();
  return response && toRest(session, response);
}

/** Undefined if the turn continues by itself: it sleeps, or waits for a child session. */
function toRest(session: Session, response: TurnResponse): TurnRest | undefined {
  if (response.status !== "awaiting_tool_execution") return { state: "over", response };
  const calls = session.pendingToolCalls;
  return calls.length > 0 ? { state: "waiting", calls } : undefined;
}

interface Change {
  readonly promise: Promise<true>;
  stop(): void;
}

function nextChange(session: Session, clock: Clock): Change {
  const { promise, resolve } = Promise.withResolvers<true>();
  const onChange = (): void => resolve(true);
  const unsubscribe = session.subscribe(onChange, { onEnd: onChange });
  const cancel = clock.timer(lookAgainMs, onChange);
  return {
    promise,
    stop() {
      unsubscribe();
      cancel();
    },
  };
}
