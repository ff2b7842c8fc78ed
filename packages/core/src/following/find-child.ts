/** Finds a child session whose start is recorded. It is created a moment later, perhaps by another process. */
import { isRepositoryError } from "@capstan/log";
import { SessionError } from "../errors/session-error.ts";
import { idleTimerOf } from "../platform/clock.ts";
import type { FollowedSession, SessionHost } from "../session/session-host.ts";

/** The child that a reader waits for. */
export interface WantedChild {
  readonly sessionId: string;
  /** Whether the reader has left. */
  readonly isOver: boolean;
  /** Calls the function when the reader leaves, or at once if it has. Returns a function that takes that back. */
  onLeave(call: () => void): () => void;
  /** Whether the child will not be created any more, if there is none yet. */
  readonly isCallOver: boolean;
}

/** Delay before the store is asked again: a wake-up may be lost. */
const retryMs = 1_000;

/** Returns undefined if there is no such session and will be none, or the reader has left. */
export async function findChild(
  wanted: WantedChild,
  host: SessionHost,
): Promise<FollowedSession | undefined> {
  const { repository, clock } = host;
  // Usually this process creates it.
  const coming = host.isOpening(wanted.sessionId) ? await follow(wanted, host) : undefined;
  if (coming !== undefined) return coming;
  while (!wanted.isOver) {
    const news = Promise.withResolvers<void>();
    const stay = wanted.onLeave(() => news.resolve());
    const unwatch = repository.subscribe(wanted.sessionId, () => news.resolve());
    const cancel = idleTimerOf(clock)(retryMs, news.resolve);
    try {
      const found = await follow(wanted, host);
      if (found !== undefined) return found;
      if (wanted.isCallOver) return undefined;
      await news.promise;
    } finally {
      stay();
      cancel();
      unwatch();
    }
  }
  return undefined;
}

/** Returns undefined if there is no such session yet, or the store fails for now. */
async function follow(
  { sessionId }: WantedChild,
  host: SessionHost,
): Promise<FollowedSession | undefined> {
  try {
    return await host.follow(sessionId);
  } catch (thrown) {
    const isPassing =
      (isRepositoryError(thrown) || thrown instanceof SessionError) &&
      thrown.code === "unavailable";
    if (!isPassing) throw thrown;
    return undefined;
  }
}
