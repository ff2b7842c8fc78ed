import type { SessionEvent } from "@capstan/log";
import {
  callTool,
  cutToolCall,
  echoTool,
  failBefore,
  finish,
  reply,
  say,
  stall,
  usage,
  wait,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { full, long, shown, smallWorld, summary } from "./compaction-world.ts";

const failures: readonly [what: string, reply: ScriptItem, code: string][] = [
  ["the provider fails", failBefore("invalid_request"), "invalid_request"],
  ["the summary is empty", reply(say(" "), usage({ inputTokens: 1 })), "no_summary"],
  ["the summary is cut off", reply(say("They gre"), finish("length")), "no_summary"],
  ["the model calls a tool instead", callTool("echo"), "no_summary"],
  ["the model says nothing", finish("stop"), "no_summary"],
  ["the model is cut off in a call", cutToolCall("echo", "{"), "no_summary"],
];

test.each(failures)("where %s the turn goes on without, and says so", async (_, failure, code) => {
  const echo = echoTool();
  const world = smallWorld([full(say("Hello!"), 8_500), failure, say("Fine")], { tools: [echo] });
  const session = world.session();
  const seen: SessionEvent[] = [];
  session.subscribe((event) => seen.push(event));
  await session.run(long("Hello"));

  const response = await session.send("How are you?").response;

  expect(response).toMatchObject({ status: "completed", text: "Fine" });
  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: Hello",
    "assistant: Hello!",
    "user: How are you?",
  ]);
  const failed = { reason: "failed", error: { code } };
  expect(seen.find(({ type }) => type === "compaction_failed")).toMatchObject(failed);
  expect(world.entriesOf(session, "compaction_failed")).toMatchObject([failed]);
  expect(echo.started).toEqual([]);
});

test("it is retried as requests are, and every attempt counts", async () => {
  const world = smallWorld(
    [full(say("Hello!"), 8_500), failBefore("overloaded"), summary, say("Fine")],
    { settings: { retry: { maxAttempts: 2 } } },
  );
  const session = world.session();
  await session.run(long("Hello"));

  await world.clock.runUntil(session.send("How are you?").response);

  expect(world.entriesOf(session, "compaction")).toMatchObject([
    { usage: { inputTokens: 900, outputTokens: 20, unreportedAttempts: 1 } },
  ]);
  expect(session.usage.unreportedAttempts).toBe(2);
});

test("after a failure it is not tried again before the context has grown, in whichever process", async () => {
  const world = smallWorld([
    full(say("One"), 8_500),
    failBefore("invalid_request"),
    full(say("Two"), 8_600),
    full(say("Three"), 9_050),
    summary,
    say("Four"),
  ]);
  const session = world.session("s1");
  await session.run(long("1"));
  await session.run("2");
  await session.close();

  const again = await world.host().open("s1");
  await again.run("3");
  await again.run("4");

  expect(
    world.entriesOf(again, "compaction_failed", "compaction", "turn_ended").map(({ type }) => type),
  ).toEqual([
    "turn_ended",
    "compaction_failed",
    "turn_ended",
    "turn_ended",
    "compaction",
    "turn_ended",
  ]);
});

test("a summary that frees too little ends the turn with context-exhausted", async () => {
  const verbose = reply(
    say(long("They").repeat(2)),
    usage({ inputTokens: 900, outputTokens: 900 }),
  );
  const world = smallWorld([full(say("Hello!"), 8_500), verbose, say("Never")]);
  const session = world.session();
  await session.run(long("Hello"));

  const response = await session.send("How are you?").response;

  expect(response).toMatchObject({ status: "completed", finishReason: "context-exhausted" });
  expect(world.provider.requests).toHaveLength(2);
});

test("one that has freed too little by the provider's count is tried again once the context has grown", async () => {
  const world = smallWorld([full(say("One"), 8_500), summary, full(say("Two"), 8_400), summary]);
  const session = world.session();
  await session.run(long("1"));
  await session.run("2");

  const { finishReason } = await session.send("3").response;
  const tried = world.entriesOf(session, "compaction").length;
  await session.send(long("4")).response;

  expect({ finishReason, tried }).toEqual({ finishReason: "context-exhausted", tried: 1 });
  expect(world.entriesOf(session, "compaction")).toHaveLength(2);
});

test("how much has to be freed can be said", async () => {
  const script = [full(say("Hello!"), 8_500), summary, say("Never")];
  const world = smallWorld(script, { settings: { compaction: { minFreedShare: 0.999 } } });
  const session = world.session();
  await session.run(long("Hello"));

  const { finishReason } = await session.send("How are you?").response;

  expect(finishReason).toBe("context-exhausted");
});

test("a provider that calls a request too long gets a shorter one, once", async () => {
  const world = smallWorld([say("Hello!"), failBefore("context_overflow"), summary, say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));

  const response = await session.send("How are you?").response;

  expect(response).toMatchObject({ status: "completed", text: "Fine" });
  expect(shown(world.provider.requests[3]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: How are you?",
  ]);
  expect(world.entriesOf(session, "attempt_ended")).toMatchObject([
    { outcome: "completed" },
    { outcome: "discarded", error: { code: "context_overflow" } },
    { outcome: "completed", attempt: 2 },
  ]);
});

test("if that is too long as well, the turn ends with context-exhausted", async () => {
  const overflow = failBefore("context_overflow");
  const world = smallWorld([say("Hello!"), overflow, summary, overflow, say("Never")]);
  const session = world.session();
  await session.run(long("Hello"));

  const response = await session.send("How are you?").response;

  expect(response).toMatchObject({ status: "completed", finishReason: "context-exhausted" });
  expect(world.provider.requests).toHaveLength(4);
  expect(world.entriesOf(session, "compaction")).toHaveLength(1);
});

test("a first message that is too long by itself ends the turn with context-exhausted", async () => {
  const world = smallWorld([failBefore("context_overflow"), say("Never")]);

  const response = await world.session().send(long("Hello").repeat(40)).response;

  expect(response).toMatchObject({ finishReason: "context-exhausted" });
  expect(world.provider.requests).toHaveLength(1);
});

test("without automatic compaction the error of the provider stands", async () => {
  const world = smallWorld([say("Hello!"), failBefore("context_overflow")], {
    settings: { compaction: { auto: false } },
  });
  const session = world.session();
  await session.run(long("Hello"));

  const response = await session.send("How are you?").response;

  expect(response).toMatchObject({ status: "error", error: { code: "context_overflow" } });
});

test("where the summary itself is too long a request, less is shown: first of what tools have given", async () => {
  const overflow = failBefore("context_overflow");
  const read = { ...echoTool(), name: "read", execute: () => long("x") };
  const script = [say("Hello!"), callTool("read"), overflow, overflow, summary, say("Fine")];
  const world = smallWorld(script, { tools: [read], contextWindow: 100_000 });
  const session = world.session();
  await session.run("Hello");

  const response = await session.send("Look").response;

  expect(response).toMatchObject({ status: "completed", text: "Fine" });
  const [asked, again] = world.provider.requests
    .slice(3, 5)
    .map(({ messages }) => shown(messages.slice(0, -1)));
  expect(asked?.at(-1)).toBe("tool: x");
  expect(again).toEqual([
    "user: Hello",
    "assistant: Hello!",
    "user: Look",
    "assistant: [read]",
    expect.stringMatching(/^tool: .*left out/),
  ]);
});

test("what is larger than the window of the model that is asked is cut before it is asked", async () => {
  const read = { ...echoTool(), name: "read", execute: () => long("x") };
  const script = [say("Hello!"), full(callTool("read"), 12_000), summary, say("Fine")];
  const world = smallWorld(script, { tools: [read] });
  const session = world.session();
  await session.run("Hello");

  const response = await session.send("Look").response;

  expect(response).toMatchObject({ text: "Fine" });
  expect(shown(world.provider.requests[2]?.messages ?? []).at(-2)).toMatch(/^tool: .*left out/);
});

test("an abort stops it: what it has used counts, and the session takes the next message", async () => {
  const stalled = reply(usage({ inputTokens: 500 }), say("They"), stall());
  const world = smallWorld([full(say("Hello!"), 8_500), stalled, summary, say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));
  const turn = session.send("How are you?");
  await world.clock.advance(0);

  await session.abort();

  expect(await turn.response).toMatchObject({ status: "aborted" });
  expect(world.provider.openStreams).toBe(0);
  const [failed, end] = world.entriesOf(session, "compaction_failed", "turn_ended").slice(-2);
  expect(failed).toMatchObject({ reason: "aborted", usage: { inputTokens: 500 } });
  expect(end).toMatchObject({ type: "turn_ended", usage: { inputTokens: 500 } });
  expect(await session.run("Again")).toBe("Fine");
});

test("a summary may take longer than a callback", async () => {
  const later = (): Promise<void> =>
    new Promise((resolve) => {
      world.clock.timer(100_000, resolve);
    });
  const slow = reply(say("They greeted each other."), wait(later));
  const world = smallWorld([full(say("Hello!"), 8_500), slow, say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));

  const response = await world.clock.runUntil(session.send("How are you?").response);

  expect(response).toMatchObject({ status: "completed", text: "Fine" });
  expect(world.entriesOf(session, "compaction")).toHaveLength(1);
});
