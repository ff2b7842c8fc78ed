/** Stores that let the wrong owner in, or give a session to the wrong one. */
import { setImmediate } from "node:timers/promises";
import { memoryRepository } from "@capstan/log";
import type { Claim, Lease, MemoryRepository } from "@capstan/log";
import type { BrokenStore } from "./broken-store.ts";

export const brokenLeases: readonly BrokenStore[] = [
  {
    fault: "the fence is ignored",
    sentence: "a paused writer that wakes up after its successor took over writes nothing",
    from: (intact) => {
      const last = new Map<string, Lease>();
      const noted = (claim: Claim): Claim => {
        last.set(claim.lease.sessionId, claim.lease);
        return claim;
      };
      return {
        ...intact,
        acquire: (...args) => {
          const claim = intact.acquire(...args);
          return claim && noted(claim);
        },
        claimDue: (query) => intact.claimDue(query).map(noted),
        append: (id, entries, options) =>
          intact.append(id, entries, { ...options, lease: last.get(id) ?? options.lease }),
      };
    },
  },
  {
    fault: "leases never run out",
    sentence: "a lease expires by the store's clock, and another owner takes over",
    from: () => memoryRepository({ now: () => 0 }),
  },
  {
    fault: "an append renews a lease that ran out",
    sentence: "nothing is written under an expired lease, even if the session has no new owner",
    from: (intact) => ({
      ...intact,
      append: (id, entries, options) => {
        intact.renew(options.lease, 60_000);
        return intact.append(id, entries, options);
      },
    }),
  },
  {
    fault: "a lease that ran out is not renewed",
    sentence: "an expired lease can be renewed if the session has had no new owner",
    from: (intact) => ({
      ...intact,
      renew: (lease, ttlMs) => {
        intact.append(lease.sessionId, [], { lease });
        intact.renew(lease, ttlMs);
      },
    }),
  },
  {
    fault: "sessions are claimed that are not due",
    sentence: "a completed session is not due",
    from: (intact) => ({
      ...intact,
      claimDue: ({ agents, owner, ttlMs, limit = 10 }) =>
        intact
          .list({ limit: 100_000 })
          .sessions.filter(({ head }) => agents.includes(head.agent))
          .slice(0, limit)
          .flatMap(({ id }) => intact.acquire(id, owner, ttlMs) ?? []),
    }),
  },
  {
    fault: "unseen posts make nothing due",
    sentence: "an input whose poster died before it could claim is found by another",
    from: (intact) => ({
      ...intact,
      claimDue: (query) =>
        intact.claimDue(query).filter(({ head }) => head.status === "running" || head.wakeAt),
    }),
  },
  {
    fault: "two that claim at once get the same sessions",
    sentence: "concurrent claims give each session to one caller",
    from: (intact) => {
      let underWay: Promise<readonly Claim[]> | undefined;
      return {
        ...intact,
        claimDue: (query) =>
          (underWay ??= setImmediate().then(() => {
            underWay = undefined;
            return intact.claimDue(query);
          })),
      };
    },
  },
  {
    fault: "an epoch is given again after a release",
    sentence: "an epoch is never reused, not even after a release",
    from: (intact) => {
      const { store, shift } = withShiftedEpochs(intact);
      return {
        ...store,
        release: (lease) => {
          const released = store.release(lease);
          shift(lease.sessionId, 1);
          return released;
        },
      };
    },
  },
  {
    fault: "a session that is created again begins with the first epoch",
    sentence: "the owner of a deleted session cannot write to a new one under its id",
    from: (intact) => {
      const { store, shift } = withShiftedEpochs(intact);
      return {
        ...store,
        delete: (id) => {
          store.delete(id);
          shift(id, 1);
        },
      };
    },
  },
];

/** A store whose callers see epochs that are too small, by as much as it was told for the session. */
function withShiftedEpochs(intact: MemoryRepository) {
  const shifts = new Map<string, number>();
  const by = (id: string): number => shifts.get(id) ?? 0;
  const shown = (claim: Claim): Claim => {
    const { lease } = claim;
    return { ...claim, lease: { ...lease, epoch: lease.epoch - by(lease.sessionId) } };
  };
  const meant = (lease: Lease): Lease => ({ ...lease, epoch: lease.epoch + by(lease.sessionId) });
  const store: MemoryRepository = {
    ...intact,
    acquire: (...args) => {
      const claim = intact.acquire(...args);
      return claim && shown(claim);
    },
    claimDue: (query) => intact.claimDue(query).map(shown),
    append: (id, entries, options) =>
      intact.append(id, entries, { ...options, lease: meant(options.lease) }),
    renew: (lease, ttlMs) => intact.renew(meant(lease), ttlMs),
    release: (lease) => intact.release(meant(lease)),
  };
  return { store, shift: (id: string, more: number) => shifts.set(id, by(id) + more) };
}
