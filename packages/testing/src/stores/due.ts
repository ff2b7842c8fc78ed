/** Which sessions a host should pick up. */
import assert from "node:assert/strict";
import type { SessionHead, SessionRepository } from "@capstan/log";
import { begin, beginOwned, head, own, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreCase, StoreTheme } from "./store-case.ts";
import { claimAll, claimedIds } from "./walk.ts";

async function dueIds(repository: SessionRepository): Promise<string[]> {
  const query = { agents: ["helper"], owner: "poller", ttlMs: longMs };
  return claimedIds(await claimAll(repository, query));
}

function isNotDue(fields: Partial<SessionHead>): StoreCase {
  return async ({ repository }) => {
    await begin(repository, "s", fields);

    assert.deepEqual(await dueIds(repository), []);
  };
}

export const due: StoreTheme = {
  name: "due sessions",
  cases: {
    "a session at rest is not due": isNotDue({ status: "idle" }),
    "a completed session is not due": isNotDue({ status: "completed" }),
    "a session that ended in an error is not due": isNotDue({ status: "error" }),
    "a session that waits for answers is not due": isNotDue({ status: "awaiting_tool_execution" }),

    "a running session without an owner is due": async ({ repository }) => {
      await begin(repository, "s", { status: "running" });

      assert.deepEqual(await dueIds(repository), ["s"]);
    },

    "a running session with an owner is not due until the lease expires": async ({
      repository,
      other,
      advance,
      leaseMs,
    }) => {
      await begin(repository, "s", { status: "running" });
      await own(repository, "s", "first", leaseMs);
      const before = await dueIds(other);

      await advance(leaseMs);

      assert.deepEqual([before, await dueIds(other)], [[], ["s"]]);
    },

    "a store that predicts the next due session returns when its lease expires": async ({
      repository,
      leaseMs,
    }) => {
      const next = async (agent = "helper"): Promise<number | undefined> =>
        repository.nextDueInMs?.([agent]);
      if (repository.nextDueInMs === undefined) return;
      await begin(repository, "s", { status: "running" });
      const before = await next();
      await own(repository, "s", "first", leaseMs);

      const [ms = 0, others] = [await next(), await next("other")];

      assert.deepEqual([before, others], [undefined, undefined]);
      assert.ok(ms > 0 && ms <= leaseMs, `${ms} ms of a lease of ${leaseMs} ms`);
    },

    "an input whose poster died before it could claim is found by another": async ({
      repository,
      other,
    }) => {
      await begin(repository, "s");
      await repository.post("s", posted("p"));

      const [claim] = await other.claimDue({ agents: ["helper"], owner: "other", ttlMs: longMs });

      assert.ok(claim);
      assert.deepEqual(claim, {
        lease: { sessionId: "s", owner: "other", epoch: claim.lease.epoch },
        lastSeq: 2,
        head: head(),
      });
    },

    "a post that the head has seen makes no session due": async ({ repository }) => {
      const { lease } = await beginOwned(repository, "s");
      const post = await repository.post("s", posted("p"));

      await repository.append("s", [owned("e")], { lease, head: head({ seen: post.seq + 1 }) });
      await repository.release(lease);

      assert.deepEqual(await dueIds(repository), []);
    },

    "a post that the owner had not seen at release makes the session due": async ({
      repository,
      other,
    }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");
      await other.post("s", posted("p"));
      await repository.append("s", [owned("e")], { lease, head: head({ seen: lastSeq }) });

      const whileOwned = await dueIds(other);
      await repository.release(lease);

      assert.deepEqual([whileOwned, await dueIds(other)], [[], ["s"]]);
    },

    "an owner's own entry makes no session due, however little its head has seen": async ({
      repository,
    }) => {
      const { lease } = await beginOwned(repository, "s");

      await repository.append("s", [owned("e")], { lease, head: head({ seen: 0 }) });
      await repository.release(lease);

      assert.deepEqual(await dueIds(repository), []);
    },

    "a repeated post does not make a session due again": async ({ repository }) => {
      await begin(repository, "s");
      const post = await repository.post("s", posted("p"));
      const { lease } = await own(repository, "s");
      await repository.append("s", [owned("e")], { lease, head: head({ seen: post.seq + 1 }) });
      await repository.release(lease);

      await repository.post("s", posted("p"));

      assert.deepEqual(await dueIds(repository), []);
    },

    "a deadline makes a session due when it has passed, not before": async ({
      repository,
      now,
      advance,
      leaseMs,
    }) => {
      await begin(repository, "s", { status: "awaiting_tool_execution", wakeAt: now() + leaseMs });
      await begin(repository, "later", { wakeAt: now() + longMs });
      const before = await dueIds(repository);

      await advance(leaseMs);

      assert.deepEqual([before, await dueIds(repository)], [[], ["s"]]);
    },

    "a deadline that passes while the session is owned counts when the lease has ended": async ({
      repository,
      other,
      now,
      advance,
      leaseMs,
    }) => {
      const { lease } = await beginOwned(repository, "s");
      await repository.append("s", [], { lease, head: head({ wakeAt: now() + leaseMs }) });

      await advance(leaseMs);
      const whileOwned = await dueIds(other);
      await repository.release(lease);

      assert.deepEqual([whileOwned, await dueIds(other)], [[], ["s"]]);
    },

    "a session that was set aside is not due, whatever is posted, until it is released": async ({
      repository,
      other,
      now,
    }) => {
      const setAside = { reason: "it cannot be recorded", at: 5 };
      const { lease } = await beginOwned(repository, "s", { status: "running" });
      const aside = head({ status: "running", wakeAt: now() - 1, setAside });
      await repository.append("s", [], { lease, head: aside });
      await repository.release(lease);
      await other.post("s", posted("p"));
      const before = await dueIds(other);
      const [listed] = (await other.list()).sessions;

      const again = await own(other, "s", "releaser");
      await other.append("s", [], { lease: again.lease, head: head({ status: "running" }) });
      await other.release(again.lease);

      assert.deepEqual([before, await dueIds(repository)], [[], ["s"]]);
      assert.deepEqual([listed?.head.setAside, again.head.setAside], [setAside, setAside]);
    },

    "a session is set aside from its beginning if its head says so": isNotDue({
      status: "running",
      setAside: { reason: "unreadable", at: 1 },
    }),

    "a deadline that the owner removed makes no session due": async ({ repository, now }) => {
      const { lease } = await beginOwned(repository, "s", { wakeAt: now() - 1 });

      await repository.append("s", [], { lease, head: head() });
      await repository.release(lease);

      assert.deepEqual(await dueIds(repository), []);
    },
  },
};
