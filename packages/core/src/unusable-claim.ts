/** What is done with a claim under which this process cannot work. */
import type { Claim, SessionHead, SessionRepository } from "@capstan/log";
import { background } from "./background.ts";
import type { SessionHost } from "./session-host.ts";

/** It came after the session was closed here. */
export function giveBack({ lease }: Claim, repository: SessionRepository): void {
  const release = async (): Promise<unknown> => repository.release(lease);
  // If that fails it runs out by itself.
  background(release(), () => {});
}

/** Nobody can go on with a log that cannot be read: it is not due any more, before somebody posts again. */
export async function setAside(
  { lease, head, lastSeq: seen }: Claim,
  { repository, clock }: SessionHost,
): Promise<void> {
  const { wakeAt: _, ...kept } = head;
  const aside: SessionHead = { ...kept, status: "error", seen, updatedAt: clock.now() };
  await repository.append(lease.sessionId, [], { lease, head: aside });
}
