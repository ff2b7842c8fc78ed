/** Many sessions at once on one agent: each has what is its own, and nothing is left of any. */
import { createHost } from "@capstan/core";
import type { Host, Session } from "@capstan/core";
import { eventsOf, isLiveOnly, memoryRepository, parseEntry } from "@capstan/log";
import type { MemoryRepository, SessionEvent } from "@capstan/log";
import { checkTranscript } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Crowd } from "./isolation-crowd.ts";
import { callsOf, createCrowd, idOf, numberOf, storyOf } from "./isolation-crowd.ts";

interface Member {
  readonly session: Session;
  readonly events: SessionEvent[];
}

function join(host: Host, count: number): Member[] {
  return Array.from({ length: count }, (_, n) => {
    const session = host.createSession({ agent: "helper", id: idOf(n) });
    const events: SessionEvent[] = [];
    session.subscribe((event) => events.push(event));
    return { session, events };
  });
}

/** All of them at once, each by its story. */
async function tell(crowd: Crowd, members: readonly Member[]): Promise<void> {
  const sessions = members.map(({ session }) => session);
  const each = (part: "begin" | "interfere" | "end"): Promise<unknown> =>
    Promise.all(sessions.map((session) => storyOf(numberOf(session.id))[part]?.(session)));
  const begun = each("begin");
  await crowd.whenWaiting(sessions.filter(({ id }) => callsOf(numberOf(id)) > 0).length);
  await begun;
  await each("interfere");
  crowd.release();
  await each("end");
  await Promise.all(sessions.map((session) => session.waitForIdle()));
}

function textsOf({ messages }: Session): string[] {
  return messages.map((message) => {
    if (message.role === "custom") return message.kind;
    if (typeof message.content === "string") return message.content;
    return message.content.map((part) => ("text" in part ? part.text : "call")).join(",");
  });
}

/** What the log of a session tells. */
function factsOf(repository: MemoryRepository, id: string): SessionEvent[] {
  const entries = repository.read(id).entries.flatMap((entry) => parseEntry(entry) ?? []);
  return eventsOf(id, entries).map(({ event }) => event);
}

/** A thousand sessions take a second or two; a machine with other things to do may need more. */
const patienceMs = 20_000;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

test(
  "a thousand sessions at once on one agent and one host: each has its own, and nothing is left",
  async () => {
    const numbers = Array.from({ length: 1_000 }, (_, n) => n);
    const crowd = createCrowd(4 * numbers.length);
    const { agent, provider, clock, made } = crowd;
    const repository = memoryRepository({ now: clock.now });
    const host = createHost({ agents: [agent], repository, clock });
    const members = join(host, numbers.length);
    const sessions = members.map(({ session }) => session);

    await tell(crowd, members);
    const kept = made.filter(({ disposed }) => disposed === 0);
    await host.close();

    expect(sessions.map(textsOf)).toEqual(numbers.map((n) => storyOf(n).texts(idOf(n))));
    expect(sessions.flatMap(({ messages }) => checkTranscript(messages))).toEqual([]);
    expect(sessions.map((session) => session.usage)).toEqual(
      numbers.map((n) => ({
        inputTokens: n * storyOf(n).requests,
        outputTokens: storyOf(n).requests,
      })),
    );
    expect(members.map(({ events }) => events.filter((event) => !isLiveOnly(event)))).toEqual(
      sessions.map(({ id }) => factsOf(repository, id)),
    );
    expect(
      members.flatMap(({ events, session }) =>
        events.filter((event) => event.sessionId !== session.id),
      ),
    ).toEqual([]);
    expect(made.filter(({ kind }) => kind === "turn")).toHaveLength(sum(numbers.map(callsOf)));
    expect(made.filter(({ kind }) => kind === "session")).toEqual(kept);
    expect(kept).toHaveLength(numbers.filter((n) => callsOf(n) > 0).length);
    expect(made.filter(({ users, disposed }) => users.size !== 1 || disposed !== 1)).toEqual([]);
    expect(provider.openStreams).toBe(0);
    expect(clock.pending()).toBe(0);
    expect(repository.claimDue({ agents: ["helper"], owner: "x", ttlMs: 1 })).toEqual([]);
  },
  patienceMs,
);

test("one agent in two hosts at once, with sessions of the same ids: neither knows of the other", async () => {
  const numbers = Array.from({ length: 140 }, (_, n) => n);
  const crowd = createCrowd(8 * numbers.length);
  const { agent, clock, made } = crowd;
  const hosts = [0, 1].map(() => {
    const repository = memoryRepository({ now: clock.now });
    return createHost({ agents: [agent], repository, clock });
  });
  const groups = hosts.map((host) => join(host, numbers.length));

  await tell(crowd, groups.flat());
  await hosts[0]?.close();
  const kept = made.filter(({ disposed }) => disposed === 0);
  await hosts[1]?.close();

  const texts = groups.map((members) => members.map(({ session }) => textsOf(session)));
  const expected = numbers.map((n) => storyOf(n).texts(idOf(n)));
  expect(texts).toEqual([expected, expected]);
  expect(kept).toHaveLength(numbers.filter((n) => callsOf(n) > 0).length);
  expect(made.filter(({ users, disposed }) => users.size !== 1 || disposed !== 1)).toEqual([]);
  expect(clock.pending()).toBe(0);
});
