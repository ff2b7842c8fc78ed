/** Turns whose events include those of the sessions below. */
import type { Turn } from "@capstan/kernel";
import { background } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { newId } from "@capstan/log";
import type { ClientSession, SendInput, SendOptions } from "../session/client-session.ts";
import { TreeEvents } from "./tree-events.ts";

/** Options of `execute`: those of `send`, and whether events of child sessions are included. */
export interface ExecuteTreeOptions extends SendOptions {
  /** Whether the events of the turn include those of the sessions below it, as with `subscribe`. Default false. */
  readonly tree?: boolean;
}

type ClientTurn = Turn<unknown, SessionEvent>;

/** Like `session.send`. With `tree`, the events of all sessions below come in no particular order, and the end of the turn after them. */
export function execute(
  session: ClientSession,
  input: SendInput,
  { tree: isTree = false, ...options }: ExecuteTreeOptions = {},
): ClientTurn {
  if (!isTree) return session.send(input, options);
  const id = options.id ?? newId();
  const events = new TreeEvents(session);
  const start = async (): Promise<ClientTurn> => {
    await events.begin();
    const turn = session.send(input, { ...options, id });
    events.follow(turn);
    return turn;
  };
  const started = start();
  const response = started.then((turn) => turn.response);
  return {
    id,
    response,
    events,
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
    result: () => response,
    abort: (reason) =>
      background(
        started.then((turn) => turn.abort(reason)),
        () => {},
      ),
  };
}
