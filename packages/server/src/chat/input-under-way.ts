/** Input of the user that a session is replying to. */
import type { Session } from "@capstan/core";
import { chainMark } from "@capstan/log";

/**
 * Input whose reply is under way: the message that started the turn, or the one that continued it while calls were pending. Messages that
 * were steered into it are part of the reply.
 */
export function inputUnderWay(session: Session): string | undefined {
  const turnId = session.current && session.turnIdOf(session.current.id);
  if (turnId === undefined) return undefined;
  const [root = turnId] = turnId.split(chainMark, 1);
  const found = session.messages.findLast(
    ({ id, role }) => role === "user" && session.turnIdOf(id).split(chainMark, 1)[0] === root,
  );
  return found?.id ?? root;
}
