/** Facts of the sessions of a tree: those that a reader got, and those that are stored. */
import type { MemoryRepository, SessionEvent } from "@capstan/log";
import { eventsOf, isLiveOnly, parseEntry } from "@capstan/log";

function storedFacts(repository: MemoryRepository, id: string): SessionEvent[] {
  const entries = repository.read(id).entries.flatMap((entry) => parseEntry(entry) ?? []);
  return eventsOf(id, entries).map(({ event }) => event);
}

/** Id of the session at the top. */
export function rootOf(repository: MemoryRepository): string {
  const { sessions } = repository.list();
  return sessions.find(({ head }) => head.agent === "helper")?.id ?? "";
}

/** Stored facts of a session and of its children. */
export function wholeOf(repository: MemoryRepository, id: string): Record<string, SessionEvent[]> {
  const facts = storedFacts(repository, id);
  const below = facts.flatMap((event) => (event.type === "child_started" ? event.childId : []));
  return Object.fromEntries([id, ...below].map((one) => [one, storedFacts(repository, one)]));
}

/** Facts among these events, by session. */
export function factsOf(seen: readonly SessionEvent[]): Record<string, SessionEvent[]> {
  const facts = seen.filter((event) => !isLiveOnly(event));
  return Object.groupBy(facts, ({ sessionId }) => sessionId) as Record<string, SessionEvent[]>;
}
