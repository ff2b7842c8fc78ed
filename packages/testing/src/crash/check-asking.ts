/** Checks that user code saw what the client gave, in every process that ran it. */
import type { JsonValue } from "@capstan/kernel";
import { isDeepStrictEqual } from "node:util";
import type { SeenContext } from "./asking.ts";
import type { CrashAsking } from "./scenario.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export function checkAsking(world: World): void {
  const { asking } = world.scenario;
  if (asking === undefined) return;
  const { main } = world;
  for (const { by, ...found } of world.seen) {
    const { id } = found.turn;
    const { app = asking.app, metadata } = askingOf(world, main.rootOf(id));
    const expected: Omit<SeenContext, "by"> = {
      session: {
        id: main.id,
        principal: asking.principal,
        metadata: metadataAt(main, id) ?? asking.metadata,
      },
      turn: { id, ...(metadata !== undefined && { metadata }) },
      app,
    };
    if (isDeepStrictEqual(found, expected)) continue;
    const text = `${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;
    main.violate("asking", `turn ${id}: ${by} saw ${text}`);
  }
  for (const by of ["a tool", "a dependency", "needsApproval", "a hook", "the instructions"]) {
    if (!world.seen.some((seen) => seen.by === by)) main.violate("asking", `${by} saw nothing`);
  }
}

/** Identity that the client gave with the first turn of a chain. */
function askingOf({ scenario }: World, rootId: string): CrashAsking {
  for (const action of scenario.actions) {
    if ("asking" in action && action.id === rootId) return action.asking ?? {};
  }
  return {};
}

/** Metadata of the session as configured when the turn started. */
function metadataAt({ entries }: WatchedSession, turnId: string): JsonValue | undefined {
  let metadata: JsonValue | undefined;
  for (const entry of entries) {
    if (entry.type === "turn_started" && entry.turnId === turnId) break;
    if (entry.type === "config") metadata = entry.config.metadata ?? metadata;
  }
  return metadata;
}
