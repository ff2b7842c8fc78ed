/** Checks that no reader saw a reply that a guard rejects, and that the log has it only as rejected. */
import type { Reader } from "./reader.ts";
import { forbidden } from "./steering.ts";
import type { World } from "./world.ts";

export function checkGuards(world: World, readers: readonly Reader[]): void {
  if (world.scenario.guards === undefined) return;
  for (const { name, seen } of readers) {
    for (const { event } of seen) {
      const isInput = event.type === "message_end" && event.message.role === "user";
      if (isInput || !JSON.stringify(event).includes(forbidden)) continue;
      world.violations.add("guards", `reader ${name} saw what a guard rejects: ${event.type}`);
    }
  }
  for (const session of world.sessions) {
    for (const entry of session.entries) {
      const isReply = entry.type === "message" && entry.message.role === "assistant";
      if (!isReply || !JSON.stringify(entry).includes(forbidden)) continue;
      session.violate("guards", `entry ${entry.seq} is a message that a guard rejects`);
    }
  }
}
