/** Ten thousand entries, ten thousand sessions. */
import assert from "node:assert/strict";
import type { SessionHead, SessionRepository } from "@capstan/log";
import { begin, beginOwned, head, owned } from "./samples.ts";
import { longMs } from "./store-case.ts";
import type { StoreTheme } from "./store-case.ts";
import { claimAll, claimedIds, listAll, readAll } from "./walk.ts";

const total = 10_000;
const batch = 500;

function numbered(prefix: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${String(from + i).padStart(5, "0")}`);
}

/** One in a hundred has another agent, one in ten a principal, one in a thousand is running. Times repeat. */
function headOf(index: number): SessionHead {
  return head({
    agent: index % 100 === 0 ? "coder" : "helper",
    status: index % 1_000 === 1 ? "running" : "completed",
    updatedAt: 1_000 + Math.floor(index / 7),
    ...(index % 10 === 0 ? { principal: "ann" } : {}),
  });
}

async function fill(repository: SessionRepository, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += batch) {
    const some = ids.slice(from, from + batch);
    await Promise.all(some.map(async (id, i) => begin(repository, id, headOf(from + i))));
  }
}

export const scale: StoreTheme = {
  name: "scale",
  cases: {
    "ten thousand entries keep their order, and are read in pages": async ({
      repository,
      other,
    }) => {
      const { lease, lastSeq } = await beginOwned(repository, "s");
      for (let from = 0; from < total; from += batch) {
        const entries = numbered("e", from, batch).map(owned);
        await repository.append("s", entries, { lease, head: head() });
      }

      const entries = (await readAll(other, "s", 999)).slice(1);

      assert.deepEqual(
        entries.map(({ id }) => id),
        numbered("e", 0, total),
      );
      assert.deepEqual(
        entries.map(({ seq }) => seq),
        Array.from({ length: total }, (_, i) => lastSeq + 1 + i),
      );
    },

    "ten thousand sessions are listed without a gap, filtered, and only the due are claimed":
      async ({ repository, other }) => {
        const ids = numbered("s", 0, total);
        await fill(repository, ids);

        const listed = await listAll(other, { limit: 300 });
        const running = await listAll(other, { status: "running" });
        const coders = await listAll(other, { agent: "coder", limit: 33 });
        const anns = await listAll(other, { principal: "ann", limit: 1_000 });
        const query = { agents: ["helper", "coder"], owner: "first", ttlMs: longMs, limit: 4 };
        const claims = await claimAll(other, query);

        // Seqs and times grow together, so that newest first is last first.
        assert.deepEqual(
          listed.map(({ id }) => id),
          ids.toReversed(),
        );
        assert.deepEqual([running.length, coders.length, anns.length], [10, 100, 1_000]);
        assert.deepEqual(
          claimedIds(claims),
          ids.filter((_, i) => i % 1_000 === 1),
        );
      },
  },
};
