/** A session that is deleted and begun again under its id is another one. */
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

/** As a session was deleted and begun again by another process. */
async function replace(repository: SessionRepository, incarnation: string): Promise<void> {
  await repository.delete("s");
  await beginAs(repository, incarnation);
}

async function incarnationIn(repository: SessionRepository, after = 0): Promise<unknown> {
  return (await repository.read("s", { after })).incarnation;
}

/** A change that nobody may pass over who has the old session as far as it went. */
function tells(wakeup: Wakeup): boolean {
  if (wakeup.type !== "changed") return false;
  return wakeup.lastSeq === undefined || wakeup.incarnation?.startsWith("again") === true;
}

export const incarnations: StoreTheme = {
  name: "incarnations",
  cases: {
    "a read tells the incarnation of the first entry, wherever it begins": async ({
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

    "a session whose first entry has no incarnation is told by the id of that entry": async ({
      repository,
      other,
    }) => {
      await repository.create("s", [created("anew")], head());

      assert.equal(await incarnationIn(other), "anew");
    },

    "a session that is begun again has the new incarnation, in every handle": async ({
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

    "a post that is meant for this incarnation is written": async ({ repository, other }) => {
      await beginAs(repository, "one");

      const first = await other.post("s", posted("p"), { incarnation: "one" });
      const again = await repository.post("s", posted("p"), { incarnation: "one" });

      assert.deepEqual([first.isNew, again], [true, { seq: first.seq, isNew: false }]);
    },

    "a post that is meant for another incarnation finds no session, and is not written": async ({
      repository,
      other,
    }) => {
      await beginAs(repository, "one");
      await replace(other, "two");

      await failsWith("not_found", () => repository.post("s", posted("p"), { incarnation: "one" }));

      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },

    "a post that was made in this incarnation is not found by one that is meant for another":
      async ({ repository, other }) => {
        await beginAs(repository, "one");
        await replace(other, "two");
        await other.post("s", posted("p"));

        await failsWith("not_found", () =>
          repository.post("s", posted("p"), { incarnation: "one" }),
        );
      },

    "a blob that is meant for another incarnation finds no session, and is not kept": async ({
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

    "a listener hears that a session was begun again, also if it is as long as the old one":
      async ({ repository, other, patienceMs }) => {
        await beginAs(repository, "one");
        const ear = listen(other, "s");
        await actUntilHeard(ear, tells, patienceMs, (attempt) =>
          replace(repository, `again ${attempt}`),
        );

        ear.stop();
      },
  },
};
