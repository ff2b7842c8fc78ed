/** Statements that wait for no answer to those before them. */
import { postgres } from "@capstan/stores/postgres";
import { afterAll, expect, test, vi } from "vitest";
import { startPostgres } from "./postgres-server.ts";
import { created, head } from "./samples.ts";
import { tapStatements } from "./statement-tap.ts";

const server = await startPostgres(["fsync=off"]);

afterAll(async () => {
  if (typeof server !== "string") await server.stop();
});

test("a connection takes further statements before the first is answered", async ({ skip }) => {
  const { url } = typeof server === "string" ? skip(server) : server;
  await using tap = await tapStatements(url);
  const schema = `pipelining_${process.pid}`;
  await using store = postgres(tap.url, { schema, maxConnections: 1 });
  const ids = ["a", "b", "c", "d", "e"];
  for (const id of ids) await store.create(id, [created()], head());
  // A connection waits for an answer when it prepares a statement.
  await store.read("a");

  let reading: Promise<number[]>;
  {
    using _ = tap.holdAnswers();
    reading = Promise.all(ids.map(async (id) => (await store.read(id)).lastSeq));
    await vi.waitFor(() => {
      const counts = tap.unanswered.map((texts) => texts.filter(isRead).length);
      expect(counts).toContain(ids.length);
    });
  }

  expect(await reading).toEqual([1, 1, 1, 1, 1]);
});

function isRead(text: string): boolean {
  return text.startsWith("SELECT") && text.includes(".entries");
}
