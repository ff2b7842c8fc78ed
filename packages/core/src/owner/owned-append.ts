/** Entries that the owner of a session writes itself, besides those of the kernel's journal. */
import type { Entry, MaybePromise, OwnedBody } from "@capstan/log";
import { andThen, isRepositoryError, orElse } from "@capstan/log";
import type { Envelopes } from "./envelopes.ts";
import type { HeldLease } from "./held-lease.ts";
import type { AppendChoices, SessionLog } from "./session-log.ts";

export interface OwnedLog {
  readonly log: SessionLog;
  readonly heldLease: HeldLease;
  readonly envelopes: Envelopes;
}

/** Appends under the lease. A lease that expired on the way to the store is renewed, if no other host has taken the session. */
export function appendOwned(
  { log, heldLease, envelopes }: OwnedLog,
  bodies: readonly OwnedBody[],
  choices: Omit<AppendChoices, "lease">,
): MaybePromise<"appended" | "conflict"> {
  const append = (): MaybePromise<"appended" | "conflict"> => {
    envelopes.begin(log.now());
    const entries = bodies.map((body): Entry => ({ ...envelopes.next(), ...body }));
    return log.append(entries, { ...choices, lease: heldLease.lease });
  };
  return orElse(append, (thrown) => {
    // Nothing was written.
    if (!isRepositoryError(thrown) || thrown.code !== "fenced") throw thrown;
    return andThen(heldLease.confirm(Infinity), append);
  });
}
