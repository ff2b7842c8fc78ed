/** Drops the unfinished turn of a session: asks its owner, or becomes the owner, to end it without running anything. */
import type { SessionRuntime } from "../host/session-runtime.ts";
import type { SessionHost } from "./session-host.ts";
import type { SessionInbox } from "./session-inbox.ts";

/** Resolves once the turn has ended; with false if no turn is unfinished. */
export async function abandonTurn(
  inbox: SessionInbox,
  runtime: SessionRuntime,
  host: SessionHost,
  reason: string | undefined,
): Promise<boolean> {
  const { unfinishedTurnId: turnId } = inbox.fold;
  if (inbox.origin !== undefined || turnId === undefined) return false;
  const named = { type: "abandon_requested", turnId } as const;
  const id = host.newId();
  // A turn that has ended in the meantime needs no end.
  await inbox.post(id, reason === undefined ? named : { ...named, reason }, "turn_over");
  if (runtime.log.fold.refusalOf(id) !== undefined) return false;
  // No host works on a session that was set aside, not even to end its turn.
  if (!runtime.isWorking) await host.release(runtime.id);
  runtime.wake();
  await runtime.waitForIdle();
  return true;
}
