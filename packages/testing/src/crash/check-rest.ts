/** Checks that at rest the head matches the log, and no host has a reason to claim the session. */
import { isDue, isPosted } from "@capstan/log";
import { checkTranscript } from "../checkers/check-transcript.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export async function checkRest(world: World, session: WatchedSession): Promise<void> {
  const { fold, entries } = session;
  const allowOpenTail = fold.status === "awaiting_tool_execution";
  for (const { message } of checkTranscript(fold.transcript.messages, { allowOpenTail })) {
    session.violate("transcript", message);
  }
  const { sessions } = await world.store.list();
  const head = sessions.find(({ id }) => id === session.id)?.head;
  if (head === undefined) return;
  if (head.status !== fold.status) {
    session.violate("rest", `the head has ${head.status}, but the log ${fold.status}`);
  }
  const lastPostedSeq = entries.findLast(isPosted)?.seq ?? 0;
  if (isDue({ head, lastPostedSeq, leaseExpiresAt: undefined }, world.clock.now())) {
    const facts = `head ${JSON.stringify(head)}, last post ${lastPostedSeq}`;
    session.violate("rest", `nothing is left to do, but the session is due: ${facts}`);
  }
}
