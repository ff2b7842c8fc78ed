/** Process that moves sessions, and tells which have moved: `move-worker.ts <schema> <from> <to>`, with lists of URLs as JSON. */
import { moveSessions } from "@capstan/stores/postgres";

const [schema = "", from = "[]", to = "[]"] = process.argv.slice(2);
await moveSessions(JSON.parse(from), JSON.parse(to), {
  schema,
  maxConnections: 2,
  onMoved: (id) => process.send?.(id),
});
process.disconnect();
