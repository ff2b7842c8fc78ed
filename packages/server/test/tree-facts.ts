/** Facts of the sessions of a tree: those that a reader got, and those that are stored. */
import type { SessionEvent, WireTreeEvent } from "@capstan/log";
import { eventsOf, isLiveOnly, parseEntry, WireTreeReader } from "@capstan/log";
import type { Frame } from "./sse.ts";
import type { World } from "./world.ts";

/** Facts of each session, as a client rebuilds them. */
export function factsOf(rootId: string, frames: readonly Frame[]): Record<string, SessionEvent[]> {
  const wire = new WireTreeReader(rootId);
  const facts = frames
    .filter(({ data }) => "at" in data)
    .map(({ data }) => wire.read(data as unknown as WireTreeEvent)?.event)
    .filter((event) => event !== undefined && !isLiveOnly(event)) as SessionEvent[];
  return Object.groupBy(facts, ({ sessionId }) => sessionId) as Record<string, SessionEvent[]>;
}

/** Facts of a session, from its log. */
export function storedFacts({ repository }: World, id: string): SessionEvent[] {
  const entries = repository.read(id).entries.flatMap((entry) => parseEntry(entry) ?? []);
  return eventsOf(id, entries).map(({ event }) => event);
}

/** Ids of the children that a session has started. */
export function childrenOf(world: World, id: string): string[] {
  const events = storedFacts(world, id);
  return events.flatMap((event) => (event.type === "child_started" ? event.childId : []));
}
