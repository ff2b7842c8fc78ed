/** Handles a claim that this process cannot work under. */
import { background } from "@capstan/kernel";
import type { Claim, SessionHead, SessionRepository } from "@capstan/log";
import type { SessionHost } from "../session/session-host.ts";

/** For a claim that arrived after the session was closed here. */
export function giveBack({ lease }: Claim, repository: SessionRepository): void {
  const release = async (): Promise<unknown> => repository.release(lease);
  // If that fails, the lease expires.
  background(release(), () => {});
}

/** Sets the session aside, because no host can continue it: it is not due any more, until it is released. */
export async function setAside(
  { lease, head, lastSeq: seen }: Claim,
  { repository, clock }: SessionHost,
  reason: string,
): Promise<void> {
  const { wakeAt: _, ...kept } = head;
  const at = clock.now();
  const setAside = { reason: reason.slice(0, maxReasonChars), at };
  const aside: SessionHead = { ...kept, status: "error", seen, updatedAt: at, setAside };
  await repository.append(lease.sessionId, [], { lease, head: aside });
}

const maxReasonChars = 1_000;

/** Lets hosts work again on a session that was set aside. Returns false if it is not, or another host holds it. */
export async function release(
  id: string,
  { repository, clock, owner, leaseMs }: SessionHost,
): Promise<boolean> {
  const claim = await repository.acquire(id, owner, leaseMs);
  if (claim === undefined) return false;
  const { lease } = claim;
  const { setAside: aside, ...head } = claim.head;
  if (aside !== undefined) {
    // Due at once: unfinished work resumes.
    const released: SessionHead = { ...head, wakeAt: 0, updatedAt: clock.now() };
    await repository.append(id, [], { lease, head: released });
  }
  await repository.release(lease);
  return aside !== undefined;
}
