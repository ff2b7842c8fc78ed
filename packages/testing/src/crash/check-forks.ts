/** Checks that a fork has its original's history up to a complete step, and shares nothing else with it. */
import type { EntryOf } from "@capstan/log";
import { foldEntries } from "@capstan/log";
import { isDeepStrictEqual } from "node:util";
import { checkTranscript } from "../checkers/check-transcript.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { World } from "./world.ts";

export function checkForks(world: World): void {
  for (const session of world.sessions) {
    const forked = session.entries.find((entry) => entry.type === "forked_from");
    if (forked?.type === "forked_from") checkFork(world, session, forked);
    // If a process died while copying blobs, only the first entry may be left.
    else if (session !== world.main && session.entries.length > 1 && !isChild(session)) {
      session.violate("fork", "its origin is not recorded");
    }
  }
  checkCalls(world);
}

function checkFork(world: World, fork: WatchedSession, forked: EntryOf<"forked_from">): void {
  const { throughSeq, sessionId, seq } = forked;
  const original = world.session(sessionId);
  const before = foldEntries(original.stored.slice(0, throughSeq));
  const birth = foldEntries(fork.stored.slice(0, seq));
  const { messages } = birth.transcript;
  if (!isDeepStrictEqual(messages, before.transcript.messages)) {
    const [had, has] = [before.transcript, birth.transcript].map(({ length }) => length);
    fork.violate("fork", `it started with other messages (${has}) than ${sessionId} had (${had})`);
  }
  for (const { message } of checkTranscript(messages)) fork.violate("fork", message);
  const waiting = [...birth.queues.items.map(({ id }) => id), birth.acceptedInput?.id ?? ""];
  const calls = birth.pending.map(({ toolCallId }) => toolCallId);
  const copied = [...waiting, ...calls].filter((id) => id !== "");
  if (copied.length > 0) fork.violate("fork", `it started with ${copied.join(", ")} pending`);
  if (!birth.acceptsInput) fork.violate("fork", `it started with the status ${birth.status}`);
  if (Object.keys(birth.usage.total).length > 0) {
    fork.violate("fork", "it counts its original's usage");
  }
  for (const told of fork.acknowledged.all) {
    if (told.type === "forked" && !isDeepStrictEqual(told.messages, messages)) {
      fork.violate("acknowledged", "the client saw other messages than it started with");
    }
  }
}

/** A call belongs to one session: a fork that ran its original's call would run it twice. */
function checkCalls({ effects, violations }: World): void {
  for (const [toolCallId, all] of Map.groupBy(effects.all, (effect) => effect.toolCallId)) {
    const sessions = new Set(all.map((effect) => effect.sessionId));
    if (sessions.size < 2) continue;
    violations.add("effects", `${toolCallId} took effect in ${[...sessions].join(" and ")}`);
  }
}

function isChild({ fold }: WatchedSession): boolean {
  return fold.created?.parent !== undefined;
}
