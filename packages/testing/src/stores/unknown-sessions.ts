/** What happens with the id of no session. */
import assert from "node:assert/strict";
import { failsWith } from "./fails-with.ts";
import { head, owned, posted } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";

const lease = { sessionId: "none", owner: "first", epoch: 1 };

export const unknownSessions: StoreTheme = {
  name: "unknown sessions",
  cases: {
    "an append to no session fails with not_found": async ({ repository }) => {
      await failsWith("not_found", () =>
        repository.append("none", [owned("e")], { lease, head: head() }),
      );
    },
    "a post to no session fails with not_found": async ({ repository }) => {
      await failsWith("not_found", () => repository.post("none", posted("p")));
    },
    "a read of no session fails with not_found": async ({ repository }) => {
      await failsWith("not_found", () => repository.read("none"));
    },
    "no session can be acquired that is not there": async ({ repository }) => {
      await failsWith("not_found", () => repository.acquire("none", "first", longMs));
    },
    "the lease of no session can be renewed or released": async ({ repository }) => {
      await failsWith("not_found", () => repository.renew(lease, longMs));
      await failsWith("not_found", () => repository.release(lease));
    },
    "no blob can be put into no session": async ({ repository }) => {
      await failsWith("not_found", () => repository.putBlob("none", new Uint8Array(1)));
    },
    "no session has a blob": async ({ repository }) => {
      assert.equal(await repository.getBlob("none", "ref"), undefined);
    },
    "deleting no session is fine": async ({ repository }) => {
      await repository.delete("none");

      assert.deepEqual(await repository.list(), { sessions: [] });
    },
    "none of these calls makes a session": async ({ repository }) => {
      await failsWith("not_found", () => repository.post("none", posted("p")));
      await failsWith("not_found", () => repository.putBlob("none", new Uint8Array(1)));

      await failsWith("not_found", () => repository.read("none"));
      assert.deepEqual(await repository.list(), { sessions: [] });
    },
  },
};
