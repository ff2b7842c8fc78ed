/** Moves sessions to the databases where they belong, after the list of databases has changed. No host may run. */
import { exportSession, importSession } from "@capstan/log";
import type { PostgresOptions } from "@capstan/stores/postgres";
import { databaseOf, postgres } from "@capstan/stores/postgres";

/** Both lists must spell the URL of a database alike. Run it again if it was interrupted, before any host runs. */
export async function moveSessions(
  before: readonly string[],
  after: readonly string[],
  options?: PostgresOptions,
): Promise<void> {
  await using from = postgres(before, options);
  await using to = postgres(after, options);
  let next: string | undefined;
  do {
    const page = await from.list({ limit: 1_000, ...(next !== undefined && { after: next }) });
    for (const { id, head } of page.sessions) {
      if (databaseOf(before, id) === databaseOf(after, id)) continue;
      const lines = await Array.fromAsync(exportSession(from, id));
      // An interrupted move has left its copy.
      await to.delete(id);
      await importSession(to, lines, { id, now: head.updatedAt, trust: "own" });
      await from.delete(id);
    }
    next = page.next;
  } while (next !== undefined);
}
