/** At rest the head says what the log says, and no host has a reason to look at the session again. */
import { isDue, isPosted } from "@capstan/log";
import { checkTranscript } from "../check-transcript.ts";
import { sessionId } from "./world.ts";
import type { World } from "./world.ts";

export async function checkRest(world: World): Promise<void> {
  const { fold, entries, store, violations, clock } = world;
  const allowOpenTail = fold.status === "awaiting_tool_execution";
  for (const { message } of checkTranscript(fold.transcript.messages, { allowOpenTail })) {
    violations.add("transcript", message);
  }
  const { sessions } = await store.list();
  const head = sessions.find(({ id }) => id === sessionId)?.head;
  if (head === undefined) return;
  if (head.status !== fold.status) {
    violations.add("rest", `the head says ${head.status}, and the log ${fold.status}`);
  }
  const lastPostedSeq = entries.findLast(isPosted)?.seq ?? 0;
  if (isDue({ head, lastPostedSeq, leaseExpiresAt: undefined }, clock.now())) {
    const facts = `head ${JSON.stringify(head)}, last post ${lastPostedSeq}`;
    violations.add("rest", `nothing is left to do, and the session is due: ${facts}`);
  }
}
