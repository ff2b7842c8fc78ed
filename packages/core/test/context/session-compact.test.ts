import {
  callTool,
  deferredTool,
  failBefore,
  reply,
  say,
  stall,
  usage,
  wait,
} from "@capstan/testing";
import { expect, test } from "vitest";
import { mortal } from "../mortal.ts";
import { full, long, shown, smallWorld, summary } from "./compaction-world.ts";

const leaseMs = 30_000;

test("a session is compacted when somebody asks for it, and says what that took", async () => {
  const world = smallWorld([full(say("Hello!"), 5_000), summary, say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));

  const result = await session.compact({ directives: "Keep the names." });

  expect(result).toMatchObject({
    isCompacted: true,
    before: 5_010,
    usage: { inputTokens: 900, outputTokens: 20 },
  });
  expect(result.after).toBeLessThan(1_000);
  expect(shown(world.provider.requests[1]?.messages ?? []).at(-1)).toMatch(/Keep the names\.$/);
  await session.run("How are you?");
  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: How are you?",
  ]);
});

test("a summary that would be longer than what it replaces is not used, and the result says so", async () => {
  const wordy = say("They said hello to each other in so many words that this summary is longer.");
  const world = smallWorld([say("Hi"), reply(wordy, usage({ inputTokens: 40 })), say("Fine")]);
  const session = world.session();
  await session.run("Hi");

  const result = await session.compact();

  expect(result).toMatchObject({ isCompacted: false, usage: { inputTokens: 40 } });
  expect(result.after).toBe(result.before);
  await session.run("How are you?");
  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: Hi",
    "assistant: Hi",
    "user: How are you?",
  ]);
  expect(session.usage.inputTokens).toBe(40);
});

test("the same id twice is once, also in another process", async () => {
  const world = smallWorld([say("Hello!"), summary]);
  const session = world.session("s1");
  await session.run(long("Hello"));

  const first = await session.compact({ id: "k1" });
  const again = await (await world.host().open("s1")).compact({ id: "k1" });

  expect(again).toEqual(first);
  expect(world.provider.requests).toHaveLength(2);
});

test("an id that is of something else is refused", async () => {
  const world = smallWorld([say("Hello!")]);
  const session = world.session();
  await session.send("Hello", { id: "k1" }).response;

  await expect(session.compact({ id: "k1" })).rejects.toMatchObject({ code: "id_conflict" });
});

test("a session with nothing to be summarized says so, and asks nobody", async () => {
  const world = smallWorld([say("Hello!"), summary]);
  const fresh = world.session();
  const session = world.session();
  await session.run(long("Hello"));
  await session.compact();

  const results = [await fresh.compact(), await session.compact()];

  expect(results).toMatchObject([{ isCompacted: false }, { isCompacted: false }]);
  expect(world.provider.requests).toHaveLength(2);
});

test("a failure is a typed error, and nothing has changed", async () => {
  const world = smallWorld([say("Hello!"), failBefore("auth"), say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));

  await expect(session.compact()).rejects.toMatchObject({
    name: "SessionError",
    code: "compaction_failed",
    turnError: { code: "auth" },
  });
  expect(session.status).toBe("completed");
  expect(await session.run("How are you?")).toBe("Fine");
});

test("while a turn runs it happens before the next request of that turn", async () => {
  const slow = deferredTool();
  const script = [say("Hello!"), callTool("deferred"), summary, say("Done")];
  const world = smallWorld(script, { tools: [slow] });
  const session = world.session();
  await session.run(long("Hello"));
  const turn = session.send("Look");
  const [call] = await slow.whenStarted();

  const compacted = session.compact();
  await world.clock.advance(0);
  slow.resolve(call?.toolCallId ?? "", "found");
  const [result, response] = await Promise.all([compacted, turn.response]);

  expect(result).toMatchObject({ isCompacted: true });
  expect(response).toMatchObject({ text: "Done" });
  expect(shown(world.provider.requests[3]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
  ]);
});

test("if the turn makes no further request it happens after the turn", async () => {
  const held = Promise.withResolvers<void>();
  const world = smallWorld([reply(wait(held.promise), say("Hello!")), summary]);
  const session = world.session();
  const turn = session.send(long("Hello"));
  await world.clock.advance(0);

  const compacted = session.compact();
  await world.clock.advance(0);
  held.resolve();

  expect(await turn.response).toMatchObject({ text: "Hello!" });
  expect(await compacted).toMatchObject({ isCompacted: true });
  const types = world.entries(session.id).map(({ type }) => type);
  expect(types.indexOf("compaction")).toBeGreaterThan(types.indexOf("turn_ended"));
  await session.waitForIdle();
  expect(world.repository.claimDue({ agents: ["helper"], owner: "x", ttlMs: 1 })).toEqual([]);
});

test("what is sent meanwhile waits for the summary, and is not in it", async () => {
  const held = Promise.withResolvers<void>();
  const world = smallWorld([
    say("Hello!"),
    reply(wait(held.promise), summary),
    say("Fine"),
    say("Steered"),
    say("Later"),
  ]);
  const session = world.session();
  await session.run(long("Hello"));
  const compacted = session.compact();
  await world.clock.advance(0);

  const turn = session.send("How are you?");
  const steered = await session.steer("And you?");
  const followed = await session.followUp("Bye");
  held.resolve();
  await Promise.all([compacted, turn.response, steered.outcome, followed.outcome]);
  await session.waitForIdle();

  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: How are you?",
  ]);
  expect(shown(world.provider.requests[4]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: How are you?",
    "assistant: Fine",
    "user: And you?",
    "assistant: Steered",
    "user: Bye",
  ]);
});

test("a history that is replaced meanwhile is not the one that was summarized", async () => {
  const held = Promise.withResolvers<void>();
  const world = smallWorld([say("Hello!"), reply(wait(held.promise), summary), say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));
  const compacted = session.compact();
  await world.clock.advance(0);

  await session.clearHistory();
  held.resolve();

  await expect(compacted).rejects.toMatchObject({ code: "compaction_failed" });
  await session.run("Anew");
  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual(["user: Anew"]);
});

test("abort stops one that runs between two turns, and one that has not begun", async () => {
  const stalled = reply(usage({ inputTokens: 500 }), say("They"), stall());
  const world = smallWorld([say("Hello!"), stalled, say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));
  const compacted = session.compact();
  const second = session.compact({ directives: "Otherwise." });
  const outcomes = Promise.allSettled([compacted, second]);
  await world.clock.advance(0);

  await session.abort("Changed my mind");

  expect(await outcomes).toMatchObject([
    { status: "rejected", reason: { code: "compaction_failed" } },
    { status: "rejected", reason: { code: "compaction_failed" } },
  ]);
  expect(world.provider.openStreams).toBe(0);
  expect(session.usage.inputTokens).toBe(500);
  expect(await session.run("How are you?")).toBe("Fine");
});

test("a process that dies with it leaves it to another, and what it had used is unknown", async () => {
  const world = smallWorld([say("Hello!"), stall(), summary]);
  const first = mortal(world.repository);
  const dying = world.host({ repository: first.repository });
  const session = dying.createSession({ agent: "helper", id: "s1" });
  await session.run(long("Hello"));
  // The process that asked dies before it is told.
  session.compact({ id: "k1" }).catch(() => {});
  await world.clock.advance(0);
  first.die();

  const other = await world.host().open("s1");
  await world.clock.advance(leaseMs * 2);
  const result = await other.compact({ id: "k1" });

  expect(result).toMatchObject({ isCompacted: true });
  expect(other.usage).toMatchObject({ unreportedAttempts: 2, inputTokens: 900 });
  await other.waitForIdle();
  expect(world.repository.claimDue({ agents: ["helper"], owner: "x", ttlMs: 1 })).toEqual([]);
});
