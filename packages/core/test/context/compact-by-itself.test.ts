import { eventsOf, isLiveOnly } from "@capstan/log";
import type { SessionEvent } from "@capstan/log";
import { callTool, echoTool, remoteTool, reply, say, think } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { full, long, shown, smallWorld, summary } from "./compaction-world.ts";

test("a context that is too full is replaced by a summary before the next request, and the new input stays as it is", async () => {
  const world = smallWorld([full(say("Hello!"), 8_500), summary, say("Fine")]);
  const session = world.session();
  await session.run(long("Hello"));

  const response = await session.send("How are you?").response;

  expect(response).toMatchObject({ status: "completed", text: "Fine" });
  expect(shown(world.provider.requests[1]?.messages.slice(0, -1) ?? [])).toEqual([
    "user: Hello",
    "assistant: Hello!",
  ]);
  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: How are you?",
  ]);
  expect(session.messages).toHaveLength(4);
});

test("the request for a summary begins like the requests before it, and may call no tool", async () => {
  const tools = [echoTool()];
  const world = smallWorld([full(callTool("echo"), 8_500), summary, say("Done")], {
    tools,
    settings: { instructions: "Be brief.", temperature: 0.5 },
  });

  await world.session().run(long("Hello"));

  const [first, asked] = world.provider.requests;
  expect(asked).toMatchObject({ toolChoice: "none", tools: first?.tools });
  expect(asked?.options).toEqual(first?.options);
  expect(asked?.messages[0]).toBe(first?.messages[0]);
});

test("it names what must survive, and what the agent adds", async () => {
  const world = smallWorld([full(say("Hello!"), 8_500), summary, say("Fine")], {
    settings: { compaction: { summaryDirectives: "Keep the tone." } },
  });
  const session = world.session();
  await session.run(long("Hello"));

  await session.run("How are you?");

  const asked = shown(world.provider.requests[1]?.messages ?? []).at(-1);
  expect(asked).toMatch(/wants.*decisions.*files.*todos.*earlier summary.*Keep the tone\.$/s);
});

test("in the middle of a turn the whole history is one summary, and the turn goes on from it", async () => {
  const world = smallWorld([full(callTool("echo", { text: "x" }), 8_500), summary, say("Done")], {
    tools: [echoTool()],
  });
  const session = world.session();

  const response = await session.send(long("Look")).response;

  expect(response).toMatchObject({ status: "completed", text: "Done" });
  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
  ]);
});

test("the last steps stay as they are, where that is asked for, without what was thought in them", async () => {
  const steps = [
    full(callTool("echo", { n: 1 }), 4_000),
    full(callTool("echo", { n: 2 }), 5_000),
    reply(think("Hm", { signature: "s" }), full(callTool("echo", { n: 3 }), 8_500)),
  ];
  const world = smallWorld([...steps, summary, say("Done")], {
    tools: [echoTool()],
    settings: { compaction: { keepRecentSteps: 1, minFreedShare: 0 } },
  });

  await world.session().run(long("Look"));

  expect(shown(world.provider.requests[4]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "assistant: [echo]",
    'tool: {"n":3}',
  ]);
});

test("window minus reserve holds where that is stricter", async () => {
  const script = [full(say("Hello!"), 6_000), summary, say("Fine")];
  const world = smallWorld(script, { settings: { compaction: { reserveTokens: 4_000 } } });
  const session = world.session();
  await session.run(long("Hello"));

  await session.run("How are you?");

  expect(world.entriesOf(session, "compaction")).toMatchObject([{ before: expect.any(Number) }]);
});

test("a session of which nobody reports a count is compacted by an estimate", async () => {
  const world = smallWorld([say("Hello!"), say("Short"), say("Fine")]);
  const session = world.session();
  await session.run("word ".repeat(6_000));

  await session.run("How are you?");

  expect(world.entriesOf(session, "compaction")).toHaveLength(1);
  expect(shown(world.provider.requests[2]?.messages ?? [])).toEqual([
    "user: [summary] Short",
    "user: How are you?",
  ]);
});

test("it is never compacted where that is switched off, nor by itself where only that is", async () => {
  const script = [full(say("Hello!"), 9_900), say("Fine")];
  const off = smallWorld(script, { settings: { compaction: false } });
  const manual = smallWorld(script, { settings: { compaction: { auto: false } } });
  const sessions = [off.session(), manual.session()];

  for (const session of sessions) await session.run(long("Hello"));
  const answers = await Promise.all(sessions.map((session) => session.run("How are you?")));

  expect(answers).toEqual(["Fine", "Fine"]);
  await expect(sessions[0]?.compact()).rejects.toMatchObject({ code: "invalid_input" });
});

test("steps whose calls wait stay outside of the summary, and their answers fit", async () => {
  const world = smallWorld(
    [say("Hello!"), full(callTool("remote"), 7_000), summary, say("Picked")],
    { tools: [remoteTool()] },
  );
  const session = world.session();
  await session.run(long("Hello"));
  const { pendingToolCalls = [] } = await session.send("Pick").response;

  await session.compact();
  const [{ toolCallId } = { toolCallId: "" }] = pendingToolCalls;
  const response = await session.send([{ toolCallId, output: "red" }]).response;

  expect(response).toMatchObject({ status: "completed", text: "Picked" });
  expect(shown(world.provider.requests[3]?.messages ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "assistant: [remote]",
    "tool: red",
  ]);
});

test("its usage and cost count for the turn, for the session and for budgets, by the model that it was made with", async () => {
  const price = { id: "list", inputPerMillion: 1_000, outputPerMillion: 0 };
  const world = smallWorld([full(callTool("echo"), 8_500), summary, say("Never")], {
    tools: [echoTool()],
    settings: { budgets: { tokens: 9_000 }, includeCost: true },
  });
  const model = { provider: world.provider, id: "big", price };
  const agent = world.agent.with({ model });
  const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });

  const response = await session.send(long("Look")).response;

  const counts = { inputTokens: 9_400, outputTokens: 30 };
  expect(response).toMatchObject({ finishReason: "budget-exceeded", usage: counts, cost: 9.4 });
  expect(session.getUsage()).toMatchObject({ total: counts, cost: 9.4 });
  expect(world.entriesOf(session, "compaction")).toMatchObject([
    { model: "scripted/big", cost: 0.9, priceId: "list", usage: { inputTokens: 900 } },
  ]);
});

test("another model may write the summary, with its own options and price", async () => {
  const world = smallWorld([full(say("Hello!"), 8_500), say("Fine")]);
  const writer = smallWorld([summary]).provider;
  const price = { inputPerMillion: 1_000, outputPerMillion: 0 };
  const compaction = { model: { provider: writer, id: "small", price } };
  const agent = world.agent.with({ compaction, includeCost: true });
  const session = world.host({ agents: [agent] }).createSession({ agent: "helper" });
  await session.run(long("Hello"));

  await session.run("How are you?");

  expect(writer.requests).toMatchObject([{ options: { model: "small" } }]);
  expect(world.entriesOf(session, "compaction")).toMatchObject([
    { model: "scripted/small", cost: 0.9 },
  ]);
});

test("an earlier summary is part of the next one, and what it stood for is not", async () => {
  const world = smallWorld([
    full(say("One"), 8_500),
    summary,
    full(say("Two"), 1_000),
    full(say("Three"), 8_500),
    say("And the second"),
    say("Four"),
  ]);
  const session = world.session();
  await session.run(long("1"));
  await session.run("2");
  await session.run(long("3"));

  await session.run("4");

  expect(shown(world.provider.requests[4]?.messages.slice(0, -1) ?? [])).toEqual([
    "user: [summary] They greeted each other.",
    "user: 2",
    "assistant: Two",
    "user: 3",
    "assistant: Three",
  ]);
  expect(shown(world.provider.requests[5]?.messages ?? [])).toEqual([
    "user: [summary] And the second",
    "user: 4",
  ]);
});

test("readers see it begin and end, and the log tells the same without what was live", async () => {
  const world = smallWorld([full(say("Hello!"), 8_500), summary, say("Fine")]);
  const session = world.session();
  const seen: SessionEvent[] = [];
  session.subscribe((event) => seen.push(event));
  await session.run(long("Hello"));

  await session.run("How are you?");

  const types = seen.map(({ type }) => type);
  expect(types.indexOf("compaction_end")).toBeGreaterThan(types.indexOf("compaction_start"));
  expect(seen.find(({ type }) => type === "compaction_end")).toMatchObject({
    through: session.messages[1]?.id,
    usage: { inputTokens: 900, outputTokens: 20 },
  });
  const told = eventsOf(session.id, world.entries(session.id)).map(({ event }) => event);
  expect(seen.filter((event) => !isLiveOnly(event))).toEqual(told);
});

test("a summary has room for itself, however short replies may be, and is no typed answer", async () => {
  const output = z.object({ mood: z.string() });
  const script = [full(say('{"mood":"good"}'), 8_500), summary, say('{"mood":"fine"}')];
  const world = smallWorld(script, { settings: { maxTokens: 100, output } });
  const session = world.session();
  await session.run(long("Hello"));

  await session.run("How are you?");

  const [first, asked] = world.provider.requests;
  expect(first?.options).toHaveProperty("output");
  expect(asked?.options).not.toHaveProperty("output");
  expect(asked?.options.maxTokens).toBeGreaterThan(1_000);
});
