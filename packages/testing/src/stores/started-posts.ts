/** Posts that bring the start of their turn along, for stores that can write both at once. The others ignore the start, and say nothing of it. */
import assert from "node:assert/strict";
import type {
  Posted,
  PostedStart,
  PostOptions,
  SessionHead,
  SessionRepository,
} from "@capstan/log";
import { failsWith } from "./fails-with.ts";
import { beginOwned, claimsOf, created, head, own, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";
import { readAll, readIds } from "./walk.ts";

/** Number of sessions that two processes post to at the same moment. */
const rounds = 20;

/** Options of a post to a session with one entry, and of another owner's if named. */
function starting(fields: Partial<PostedStart> = {}, owner = "first"): PostOptions {
  const entries = [owned(`${owner}-e`), owned(`${owner}-f`)];
  const running = head({ status: "running", title: "Started", seen: 2 });
  const start = { entries, head: running, onlyIfSeq: 1, ...fields };
  return { claim: { owner, ttlMs: longMs }, start };
}

/** Creates a session and releases its first lease: stores may start turns in another way for processes that have held none. */
async function begin(
  repository: SessionRepository,
  id: string,
  fields: Partial<SessionHead> = {},
): Promise<void> {
  const { lease } = await beginOwned(repository, id, fields);
  await repository.release(lease);
}

async function titleOf(repository: SessionRepository): Promise<string | undefined> {
  return (await repository.list()).sessions[0]?.head.title;
}

/** The post happened without its start. */
async function assertOnlyPosted(
  repository: SessionRepository,
  { isNew, isStarted }: Posted,
  ids: readonly string[],
): Promise<void> {
  assert.deepEqual([isNew, isStarted], [true, undefined]);
  assert.deepEqual(await readIds(repository, "s"), ids);
  assert.notEqual(await titleOf(repository), "Started");
}

export const startedPosts: StoreTheme = {
  name: "started posts",
  cases: {
    "a post and the start that it brings are one write, in this order": async ({
      repository,
      other,
    }) => {
      await begin(repository, "s", { title: "Mine" });

      const written = await repository.post("s", posted("p"), starting());

      if (written.isStarted !== true) {
        await assertOnlyPosted(repository, written, ["created", "p"]);
        return;
      }
      const entries = await readAll(other, "s");
      assert.deepEqual(
        entries.map(({ id, seq }) => [id, seq]),
        [
          ["created", 1],
          ["p", 2],
          ["first-e", 3],
          ["first-f", 4],
        ],
      );
      assert.deepEqual({ ...entries[2] }, { ...owned("first-e"), seq: 3 });
      assert.deepEqual([written.seq, written.isNew], [2, true]);
      assert.ok(written.claim, "a started session is claimed");
      const { lease, lastSeq, head: claimed } = written.claim;
      assert.deepEqual([lastSeq, claimed.status, claimed.title], [4, "running", "Started"]);
      const [listed] = (await other.list()).sessions;
      assert.deepEqual([listed?.lastSeq, listed?.head], [4, claimed]);
      assert.equal(await other.acquire("s", "second", longMs), undefined);
      const appended = await repository.append("s", [owned("g")], { lease, onlyIfSeq: 4 });
      assert.deepEqual([appended.type, appended.lastSeq], ["appended", 5]);
    },

    "a started session is due as soon as its lease is released": async ({ repository, other }) => {
      await begin(repository, "s");
      const { claim } = await repository.post("s", posted("p"), starting());
      if (claim === undefined) return;
      assert.deepEqual(await other.claimDue(claimsOf("second")), []);

      await repository.release(claim.lease);

      assert.equal((await other.claimDue(claimsOf("second"))).length, 1);
    },

    "a start is dropped if something was posted before, and its post claims the session all the same":
      async ({ repository, other }) => {
        await begin(repository, "s");
        await other.post("s", posted("before"));

        const written = await repository.post("s", posted("p"), starting());

        await assertOnlyPosted(repository, written, ["created", "before", "p"]);
        assert.equal(written.seq, 3);
        if (written.claim === undefined) return;
        assert.equal(written.claim.lastSeq, 3);
        assert.equal(await other.acquire("s", "second", longMs), undefined);
      },

    "a start is dropped if another owner has the session": async ({ repository, other }) => {
      await begin(repository, "s");
      const { lease } = await own(other, "s", "second");

      const written = await repository.post("s", posted("p"), starting());

      await assertOnlyPosted(repository, written, ["created", "p"]);
      assert.equal(written.claim, undefined);
      await other.append("s", [owned("e")], { lease, head: head() });
    },

    "a start is dropped if no lease is asked for": async ({ repository, other }) => {
      await begin(repository, "s");
      const { start } = starting();

      const written = await repository.post("s", posted("p"), { start });

      await assertOnlyPosted(repository, written, ["created", "p"]);
      await own(other, "s", "second");
    },

    "a session that was set aside is not started by a post": async ({ repository }) => {
      const setAside = { reason: "damaged", at: 1_000 };
      await begin(repository, "s", { setAside });

      const written = await repository.post("s", posted("p"), starting());

      await assertOnlyPosted(repository, written, ["created", "p"]);
      assert.deepEqual((await repository.list()).sessions[0]?.head.setAside, setAside);
    },

    "a post that was made before starts nothing": async ({ repository, other }) => {
      await begin(repository, "s");
      await repository.post("s", posted("p"));

      const again = await repository.post("s", posted("p"), starting({ onlyIfSeq: 2 }));

      assert.deepEqual([again.seq, again.isNew, again.isStarted], [2, false, undefined]);
      assert.deepEqual(await readIds(repository, "s"), ["created", "p"]);
      await own(other, "s", "second");
    },

    "a start that is meant for another session of the id is not stored": async ({
      repository,
      other,
    }) => {
      await begin(repository, "s");

      const options = { ...starting(), incarnation: "another" };
      await failsWith("not_found", () => repository.post("s", posted("p"), options));

      assert.deepEqual(await readIds(repository, "s"), ["created"]);
      await own(other, "s", "second");
    },

    "a process that never held a lease may start a turn as well": async ({ repository, other }) => {
      await other.create("s", [created()], head());

      const written = await repository.post("s", posted("p"), starting());

      const started = written.isStarted === true ? ["first-e", "first-f"] : [];
      assert.deepEqual(await readIds(other, "s"), ["created", "p", ...started]);
    },

    "a start with an id that is taken fails like an append, and its post is not stored either":
      async ({ repository, other }) => {
        await begin(repository, "s");
        const taken = [[owned("created")], [owned("p")], [owned("e"), owned("e")]];

        for (const entries of taken) {
          const post = async (): Promise<Posted> =>
            repository.post("s", posted("p"), starting({ entries }));
          const writing = post();
          const [written] = await Promise.allSettled([writing]);
          if (written.status === "fulfilled") {
            // The store ignores starts.
            assert.equal(written.value.isStarted, undefined);
            return;
          }
          await failsWith("invalid_entry", () => writing);
        }

        assert.deepEqual(await readIds(repository, "s"), ["created"]);
        await own(other, "s", "second");
      },

    "two processes that post a start at the same moment start one turn": async ({
      repository,
      other,
    }) => {
      for (let i = 0; i < rounds; i++) {
        const id = `race-${i}`;
        await begin(repository, id);
        const [first, second] = i % 2 === 0 ? [repository, other] : [other, repository];

        const written = await Promise.all([
          first.post(id, posted("p"), starting({}, "first")),
          second.post(id, posted("q"), starting({}, "second")),
        ]);

        const owner = written[0].seq < written[1].seq ? "first" : "second";
        const later = owner === "first" ? written[1] : written[0];
        assert.deepEqual([later.claim, later.isStarted], [undefined, undefined]);
        const ids = await readIds(repository, id);
        if (ids.length === 3) continue;
        const [own, others] = owner === "first" ? ["p", "q"] : ["q", "p"];
        assert.deepEqual(ids, ["created", own, `${owner}-e`, `${owner}-f`, others]);
      }
    },
  },
};
