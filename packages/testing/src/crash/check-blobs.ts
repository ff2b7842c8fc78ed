/** Checks that every blob named in the log exists, complete. */
import { outputOf } from "./toolbox.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export async function checkBlobs({ store }: World, session: WatchedSession): Promise<void> {
  for (const entry of session.entries) {
    if (entry.type !== "tool_result" || entry.result.kept === undefined) continue;
    const { blob } = entry.result.kept;
    const bytes = await store.getBlob(session.id, blob);
    const text = bytes === undefined ? undefined : new TextDecoder().decode(bytes);
    if (text === outputOf(entry.toolName)) continue;
    const found = text === undefined ? "does not exist" : `has ${text.length} other characters`;
    session.violate("log", `entry ${entry.seq} names the blob ${blob}, which ${found}`);
  }
}
