/** Events that a subscriber of a tree has seen, and those that it should have. */
import type { Session, SubscribeFrom } from "@capstan/core";
import type { SessionEvent } from "@capstan/log";
import { eventsOf, isLiveOnly } from "@capstan/log";
import { callTool } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, onTestFinished, vi } from "vitest";
import type { Family } from "./family.ts";

export interface Seen {
  readonly event: SessionEvent;
  /** Composite cursor after the event. */
  readonly cursor: string;
}

export const ask = (agent: string, task: string): ScriptItem => callTool(agent, { task });

export function follow(session: Session, from: Partial<SubscribeFrom> = {}): Seen[] {
  const seen: Seen[] = [];
  const stop = session.subscribe((event, _, { cursor }) => seen.push({ event, cursor }), {
    ...from,
    tree: true,
  });
  onTestFinished(stop);
  return seen;
}

/** Ids of a session and of all sessions below it. */
function idsBelow(world: Family, id: string): string[] {
  return [id, ...new Set(world.childrenOf(id))].flatMap((one) =>
    one === id ? [one] : idsBelow(world, one),
  );
}

/** Stored facts of every session of the tree, by its id. */
export function wholeOf(world: Family, rootId: string): Record<string, SessionEvent[]> {
  return Object.fromEntries(
    idsBelow(world, rootId).map((id) => [
      id,
      eventsOf(id, world.entries(id)).map(({ event }) => event),
    ]),
  );
}

export function factsOf(seen: readonly Seen[]): Record<string, SessionEvent[]> {
  const facts = seen.map(({ event }) => event).filter((event) => !isLiveOnly(event));
  return Object.groupBy(facts, ({ sessionId }) => sessionId) as Record<string, SessionEvent[]>;
}

/** Resolves once the readers, each after the events before it, have all facts of the tree and no others. */
export async function haveAll(
  world: Family,
  { id }: Session,
  readers: readonly (readonly Seen[][])[],
): Promise<void> {
  const whole = wholeOf(world, id);
  const check = (): void => {
    for (const parts of readers) expect(factsOf(parts.flat())).toEqual(whole);
  };
  await vi.waitFor(check, { interval: 2, timeout: 5_000 });
  // Whatever would come too much comes now: the store answers at once.
  for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
  check();
}
