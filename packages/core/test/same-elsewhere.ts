/** Whether a session is in another host what it is here: the fold of its log says both. */
import type { HostOptions, Session } from "@capstan/core";
import { foldEntries } from "@capstan/log";
import { assertValidTranscript } from "@capstan/testing";
import { expect } from "vitest";
import type { World } from "./world.ts";

/** Opens the session in a host of its own, which it gives back, and compares everything that a session shows. */
export async function expectSameElsewhere(
  world: World,
  session: Session,
  options: Partial<HostOptions> = {},
): Promise<Session> {
  const elsewhere = await world.host({ pollMs: Infinity, ...options }).open(session.id);
  expect(shownBy(elsewhere)).toEqual(shownBy(session));
  const { entries } = world.repository.read(session.id);
  expect(foldEntries(entries).transcript.messages).toEqual(session.messages);
  assertValidTranscript(session.messages, { allowOpenTail: session.pendingToolCalls.length > 0 });
  return elsewhere;
}

function shownBy(session: Session): object {
  const { id, state, title, queued } = session;
  return { id, state, title, queued, usage: session.getUsage(), current: session.current?.id };
}
