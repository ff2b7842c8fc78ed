/** Calls with the id of a session that does not exist. */
import assert from "node:assert/strict";
import { failsWith } from "./fails-with.ts";
import { head, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";

const lease = { sessionId: "none", owner: "first", epoch: 1 };

export const unknownSessions: StoreTheme = {
  name: "unknown sessions",
  cases: {
    "an append to an unknown session fails with not_found": async ({ repository }) => {
      await failsWith("not_found", () =>
        repository.append("none", [owned("e")], { lease, head: head() }),
      );
    },
    "a post to an unknown session fails with not_found": async ({ repository }) => {
      await failsWith("not_found", () => repository.post("none", posted("p")));
    },
    "a read of an unknown session fails with not_found": async ({ repository }) => {
      await failsWith("not_found", () => repository.read("none"));
    },
    "an unknown session cannot be acquired": async ({ repository }) => {
      await failsWith("not_found", () => repository.acquire("none", "first", longMs));
    },
    "the lease of an unknown session cannot be renewed or released": async ({ repository }) => {
      await failsWith("not_found", () => repository.renew(lease, longMs));
      await failsWith("not_found", () => repository.release(lease));
    },
    "no blob can be put into an unknown session": async ({ repository }) => {
      await failsWith("not_found", () => repository.putBlob("none", new Uint8Array(1)));
    },
    "an unknown session has no blob": async ({ repository }) => {
      assert.equal(await repository.getBlob("none", "ref"), undefined);
    },
    "deleting an unknown session is fine": async ({ repository }) => {
      await repository.delete("none");

      assert.deepEqual(await repository.list(), { sessions: [] });
    },
    "none of these calls creates a session": async ({ repository }) => {
      await failsWith("not_found", () => repository.post("none", posted("p")));
      await failsWith("not_found", () => repository.putBlob("none", new Uint8Array(1)));

      await failsWith("not_found", () => repository.read("none"));
      assert.deepEqual(await repository.list(), { sessions: [] });
    },
  },
};
