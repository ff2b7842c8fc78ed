/** A session that is deleted and created again under its id is a different one. */
import assert from "node:assert/strict";
import type { NewEntry, SessionRepository, Wakeup } from "@capstan/log";
import { failsWith } from "./fails-with.ts";
import { actUntilHeard, listen } from "./listen.ts";
import { created, head, own, owned, posted } from "./samples.ts";
import type { StoreTheme } from "./store-case.ts";
import { readIds } from "./walk.ts";

function createdAs(incarnation: string): NewEntry {
  return { ...created(), ...{ incarnation } };
}

async function beginAs(repository: SessionRepository, incarnation: string): Promise<void> {
  await repository.create("s", [createdAs(incarnation)], head({ incarnation }));
}

/** Deletes and recreates the session, as another process might. */
async function replace(repository: SessionRepository, incarnation: string): Promise<void> {
  await repository.delete("s");
  await beginAs(repository, incarnation);
}

async function incarnationIn(repository: SessionRepository, after = 0): Promise<unknown> {
  return (await repository.read("s", { after })).incarnation;
}

/** True for a change that a reader of the whole old session must not skip. */
function tells(wakeup: Wakeup): boolean {
  if (wakeup.type !== "changed") return false;
  return wakeup.lastSeq === undefined || wakeup.incarnation?.startsWith("again") === true;
}

export const incarnations: StoreTheme = {
  name: "incarnations",
  cases: {
    "a read returns the incarnation of the first entry, wherever it starts": async ({
      repository,
      other,
    }) => {
      await beginAs(repository, "one");
      await repository.post("s", posted("p"));

      assert.deepEqual(
        await Promise.all([0, 1, 2, 9].map((after) => incarnationIn(other, after))),
        ["one", "one", "one", "one"],
      );
    },

    "a session whose first entry has no incarnation has the id of that entry as its incarnation":
      async ({ repository, other }) => {
        await repository.create("s", [created("anew")], head());

        assert.equal(await incarnationIn(other), "anew");
      },

    "a recreated session has the new incarnation, in every handle": async ({
      repository,
      other,
    }) => {
      await beginAs(repository, "one");
      await incarnationIn(other);

      await replace(repository, "two");

      assert.deepEqual(
        [await incarnationIn(repository), await incarnationIn(other, 5)],
        ["two", "two"],
      );
    },

    "a claim has the incarnation in its head": async ({ repository, other }) => {
      await beginAs(repository, "one");
      await replace(repository, "two");

      const { lease, head: given } = await own(other, "s");
      await other.append("s", [owned("e")], { lease });

      assert.equal(given.incarnation, "two");
    },

    "a post for this incarnation is written": async ({ repository, other }) => {
      await beginAs(repository, "one");

      const first = await other.post("s", posted("p"), { incarnation: "one" });
      const again = await repository.post("s", posted("p"), { incarnation: "one" });

      assert.deepEqual([first.isNew, again], [true, { seq: first.seq, isNew: false }]);
    },

    "a post for another incarnation finds no session, and is not written": async ({
      repository,
      other,
    }) => {
      await beginAs(repository, "one");
      await replace(other, "two");

      await failsWith("not_found", () => repository.post("s", posted("p"), { incarnation: "one" }));

      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },

    "a post of this incarnation is not found by one for another incarnation": async ({
      repository,
      other,
    }) => {
      await beginAs(repository, "one");
      await replace(other, "two");
      await other.post("s", posted("p"));

      await failsWith("not_found", () => repository.post("s", posted("p"), { incarnation: "one" }));
    },

    "a blob for another incarnation finds no session, and is not stored": async ({
      repository,
      other,
    }) => {
      await beginAs(repository, "one");
      const ref = await repository.putBlob("s", Uint8Array.of(1, 2), { incarnation: "one" });
      await replace(other, "two");

      await failsWith("not_found", () =>
        repository.putBlob("s", Uint8Array.of(1, 2), { incarnation: "one" }),
      );

      assert.equal(await other.getBlob("s", ref), undefined);
      assert.equal(await other.putBlob("s", Uint8Array.of(1, 2), { incarnation: "two" }), ref);
    },

    "a listener hears that a session was recreated, even if it is as long as the old one": async ({
      repository,
      other,
      patienceMs,
    }) => {
      await beginAs(repository, "one");
      const ear = listen(other, "s");
      await actUntilHeard(ear, tells, patienceMs, (attempt) =>
        replace(repository, `again ${attempt}`),
      );

      ear.stop();
    },
  },
};
