/** Takes queued messages back, so that the user can edit them. */
import type { Session } from "@capstan/core";

/** Resolves with the texts of the messages that had not reached the model. */
export async function takeBack(session: Session): Promise<readonly string[]> {
  const { queued } = session;
  const returned = new Set(await session.clearQueue());
  return queued.flatMap(({ id, message }) =>
    returned.has(id) && message.role === "user" && typeof message.content === "string"
      ? [message.content]
      : [],
  );
}
