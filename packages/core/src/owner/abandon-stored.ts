/** Drops the unfinished turn of a session that is not open in this process. Its agent is not needed. */
import type { PostedBody, SessionFold } from "@capstan/log";
import type { SessionHost } from "../session/session-host.ts";
import { abandonedWith, endInError } from "./end-in-error.ts";
import { Envelopes } from "./envelopes.ts";
import { HeldLease } from "./held-lease.ts";
import type { OwnedLog } from "./owned-append.ts";
import { appendOwned } from "./owned-append.ts";
import { SessionLog } from "./session-log.ts";

/** Delay before the lease is asked for again, while another process holds it. */
const retryMs = 200;

/** Nothing in this process follows the session. */
const unheard = { onEvents: () => {}, onChange: () => {}, onGone: () => {} };

/** Resolves once the turn has ended, here or in the process that runs it; with false if no turn is unfinished. */
export async function abandonStored(
  id: string,
  host: SessionHost,
  reason: string | undefined,
): Promise<boolean> {
  const { repository, clock } = host;
  const log = new SessionLog({
    id,
    repository,
    clock,
    isFromCheckpoint: true,
    ...unheard,
  });
  await log.catchUp();
  const { unfinishedTurnId: turnId } = log.fold;
  if (turnId === undefined) return false;
  const entryId = host.newId();
  await log.post(entryId, toAbandon(turnId, reason));
  if (log.fold.refusalOf(entryId) !== undefined) return false;
  while (isToEnd(log.fold)) {
    const askedAt = clock.now();
    const claim = await repository.acquire(id, host.owner, host.leaseMs);
    if (claim === undefined) await new Promise<void>((resolve) => clock.timer(retryMs, resolve));
    else await endUnder(new HeldLease(claim, host, askedAt), log);
    await log.catchUp();
  }
  return true;
}

function toAbandon(turnId: string, reason: string | undefined): PostedBody {
  const named = { type: "abandon_requested", turnId } as const;
  return reason === undefined ? named : { ...named, reason };
}

function isToEnd(fold: SessionFold): boolean {
  return fold.unfinishedTurnId !== undefined && reasonIn(fold) !== undefined;
}

function reasonIn(fold: SessionFold): string | undefined {
  return fold.abandonReasonOf(fold.unfinishedTurnId ?? "");
}

async function endUnder(heldLease: HeldLease, log: SessionLog): Promise<void> {
  const owned = { log, heldLease, envelopes: new Envelopes(log, heldLease.lease.epoch) };
  try {
    await log.catchUp();
    while (isToEnd(log.fold)) await endOne(owned);
  } finally {
    await heldLease.release();
  }
}

/** Messages that were taken back come first, as in any owner. */
async function endOne(owned: OwnedLog): Promise<void> {
  const { log } = owned;
  const action = log.fold.nextAction(log.now());
  if (action.type !== "return") {
    await endInError(owned, action, abandonedWith(reasonIn(log.fold) ?? ""));
    return;
  }
  const { ids } = action;
  const turnId = log.fold.turn?.turnId ?? "";
  const outcome = { type: "returned", reason: "cleared" } as const;
  await appendOwned(owned, [{ type: "queue_settled", turnId, ids, outcome }], {});
}
