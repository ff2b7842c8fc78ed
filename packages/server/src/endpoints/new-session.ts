/** Sends the first input of a session, which stores it. */
import type { NewSession } from "@capstan/core";
import { SessionError } from "@capstan/core";
import type { Call } from "./endpoint.ts";
import type { EventStream } from "../streaming/frame-sink.ts";
import type { OpenSession } from "../server/sessions.ts";

export interface SessionToCreate {
  /** The client's own key for it. */
  readonly key: string | undefined;
  readonly origin: Omit<NewSession, "id" | "principal">;
}

export interface FirstSend {
  send(open: OpenSession): Promise<EventStream>;
  /** Called if another process has created the session in the meantime. */
  sendToOther(open: OpenSession): Promise<EventStream>;
}

/** Fails with `too_many_sessions` and `storage_full`. */
export async function withNewSession(
  { backend, principal }: Pick<Call<unknown, unknown>, "backend" | "principal">,
  { key, origin }: SessionToCreate,
  { send, sendToOther }: FirstSend,
): Promise<EventStream> {
  backend.storage.admit(principal);
  const release = await backend.sessions.admit(principal);
  try {
    const open = backend.sessions.create(principal, key, origin);
    try {
      return await send(open);
    } catch (thrown) {
      const isElsewhere = thrown instanceof SessionError && thrown.code === "exists";
      if (!isElsewhere) {
        await backend.sessions.drop(open);
        throw thrown;
      }
      return await sendToOther(await backend.sessions.reopen(principal, open));
    }
  } finally {
    release();
  }
}
