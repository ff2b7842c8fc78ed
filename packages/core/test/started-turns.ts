/** Sessions whose turns start in the write that posts their input, and stores that do something else with it. */
import type { Host, Session } from "@capstan/core";
import type {
  MaybePromise,
  Posted,
  PostedEntry,
  PostOptions,
  SessionRepository,
} from "@capstan/log";
import { setImmediate as nextTick } from "node:timers/promises";
import type { World } from "./world.ts";

type Post = (id: string, entry: PostedEntry, options?: PostOptions) => MaybePromise<Posted>;

/** The store with another `post`. */
export function posting(store: SessionRepository, post: Post): SessionRepository {
  return { ...store, post };
}

/** The store as if it were elsewhere: each answer takes a while. */
export function distant(store: SessionRepository): SessionRepository {
  return {
    ...store,
    create: later(store.create),
    append: later(store.append),
    post: later(store.post),
    read: later(store.read),
    acquire: later(store.acquire),
    release: later(store.release),
    delete: later(store.delete),
  };
}

function later<Args extends unknown[], T>(call: (...args: Args) => MaybePromise<T>) {
  return async (...args: Args): Promise<T> => {
    await nextTick();
    const value = await call(...args);
    await nextTick();
    return value;
  };
}

/** Runs a first turn. */
export async function begun(host: Host, id = "chat"): Promise<Session> {
  const session = host.createSession({ agent: "helper", id });
  await session.send("Hi", { id: "t1" }).response;
  await session.waitForIdle();
  return session;
}

export function typesOf(world: World, from: string, id = "chat"): string[] {
  const entries = world.entries(id);
  return entries.slice(entries.findIndex((entry) => entry.id === from)).map(({ type }) => type);
}

export function countOf(world: World, type: string): number {
  return world.entries("chat").filter((entry) => entry.type === type).length;
}

export const wholeTurn = [
  "input",
  "turn_started",
  "attempt",
  "message",
  "attempt_ended",
  "turn_ended",
];

/** Types of the entries that each post brought along. */
export function watchingStarts(store: SessionRepository): {
  readonly repository: SessionRepository;
  readonly starts: (readonly string[])[];
} {
  const starts: (readonly string[])[] = [];
  const repository = posting(store, (id, entry, options) => {
    starts.push(options?.start?.entries.map(({ type }) => type) ?? []);
    return store.post(id, entry, options);
  });
  return { repository, starts };
}
