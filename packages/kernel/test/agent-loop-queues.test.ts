/** Messages sent while the loop ran: when they are taken, how many at once, and when they stay queued. */
import { agentLoop } from "@capstan/kernel";
import { assertValidTranscript, callTool, echoTool, reply, say, usage } from "@capstan/testing";
import { expect, test } from "vitest";
import { scriptedLoop, user, userIds } from "./scripted-loop.ts";

test("a follow-up waits until the turn would end and is then a turn of its own", async () => {
  const { provider, config } = scriptedLoop([callTool("echo"), say("First"), say("Second")], {
    followUps: [user("f1")],
  });

  const turn = agentLoop([user("u1")], { messages: [], tools: [echoTool()] }, config);
  const events = await Array.fromAsync(turn);
  const response = await turn.response;

  expect(provider.requests.map((request) => userIds(request.messages))).toEqual([
    ["u1"],
    ["u1"],
    ["u1", "f1"],
  ]);
  expect(events.filter((event) => event.type === "turn_start")).toMatchObject([
    { input: ["u1"] },
    { input: ["f1"] },
  ]);
  expect(new Set(events.map((event) => event.turnId)).size).toBe(2);
  expect(response.text).toBe("Second");
});

test("the response of a loop with follow-ups has every new message in order and the usage of all turns", async () => {
  const { config } = scriptedLoop(
    [
      reply(say("First"), usage({ inputTokens: 1 })),
      reply(say("Second"), usage({ inputTokens: 2 })),
    ],
    { followUps: [user("f1")] },
  );

  const response = await agentLoop([user("u1")], { messages: [] }, config).response;

  expect(response.messages.map((message) => message.role)).toEqual([
    "assistant",
    "user",
    "assistant",
  ]);
  expect(response.usage).toEqual({ inputTokens: 3 });
  assertValidTranscript([user("u1"), ...response.messages]);
});

test("settled comes once, after the last turn, and nothing follows it", async () => {
  const { config } = scriptedLoop([say("First"), say("Second")], { followUps: [user("f1")] });

  const events = await Array.fromAsync(agentLoop([user("u1")], { messages: [] }, config));

  const settled = events.map((event) => event.type).indexOf("settled");
  expect(settled).toBe(events.length - 1);
  expect(events[settled - 1]?.type).toBe("turn_end");
});

test("follow-ups are taken one at a time unless told otherwise", async () => {
  const { provider, config } = scriptedLoop([say("1"), say("2"), say("3")], {
    followUps: [user("f1"), user("f2")],
  });

  await agentLoop([user("u1")], { messages: [] }, config).response;

  expect(provider.requests.map((request) => userIds(request.messages))).toEqual([
    ["u1"],
    ["u1", "f1"],
    ["u1", "f1", "f2"],
  ]);
});

test("in mode all the waiting follow-ups are one turn", async () => {
  const { provider, config } = scriptedLoop([say("1"), say("2")], {
    followUps: [user("f1"), user("f2")],
  });

  await agentLoop([user("u1")], { messages: [] }, { ...config, followUpMode: "all" }).response;

  expect(provider.requests.map((request) => userIds(request.messages))).toEqual([
    ["u1"],
    ["u1", "f1", "f2"],
  ]);
});

test("steering is delivered one message per tool-result boundary unless told otherwise", async () => {
  const { provider, config, steering } = scriptedLoop([
    () => {
      steering.push(user("s1"), user("s2"));
      return callTool("echo");
    },
    callTool("echo"),
    say("Done"),
  ]);
  const context = { messages: [], tools: [echoTool()] };

  await agentLoop([user("u1")], context, config).response;

  expect(provider.requests.map((request) => userIds(request.messages))).toEqual([
    ["u1"],
    ["u1", "s1"],
    ["u1", "s1", "s2"],
  ]);
});

test("in mode all the waiting steering is delivered together", async () => {
  const { provider, config, steering } = scriptedLoop([
    () => {
      steering.push(user("s1"), user("s2"));
      return callTool("echo");
    },
    callTool("echo"),
    say("Done"),
  ]);
  const context = { messages: [], tools: [echoTool()] };

  await agentLoop([user("u1")], context, { ...config, steeringMode: "all" }).response;

  expect(provider.requests.map((request) => userIds(request.messages))).toEqual([
    ["u1"],
    ["u1", "s1", "s2"],
    ["u1", "s1", "s2"],
  ]);
});

test("steering that waits at the start goes with the prompts", async () => {
  const { provider, config } = scriptedLoop([say("Done")], { steering: [user("s1")] });

  await agentLoop([user("u1")], { messages: [] }, config).response;

  expect(userIds(provider.requests[0]?.messages)).toEqual(["u1", "s1"]);
  provider.assertComplete();
});

test("steering left when a turn ends without tool calls starts the next turn, before any follow-up", async () => {
  const { provider, config, steering } = scriptedLoop(
    [
      () => {
        steering.push(user("s1"));
        return say("1");
      },
      say("2"),
      say("3"),
    ],
    { followUps: [user("f1")] },
  );

  await agentLoop([user("u1")], { messages: [] }, config).response;

  expect(provider.requests.map((request) => userIds(request.messages))).toEqual([
    ["u1"],
    ["u1", "s1"],
    ["u1", "s1", "f1"],
  ]);
});

test("without newId each further turn gets an id of its own", async () => {
  const { provider, config } = scriptedLoop([say("1"), say("2"), say("3")], {
    followUps: [user("f1"), user("f2")],
  });
  const { clock: _, ...withoutIds } = config;

  const { messages } = await agentLoop([user("u1")], { messages: [] }, withoutIds).response;

  const turnIds = provider.requests.map((request) => request.turnId);
  expect(turnIds[0]).toBe("t1");
  expect(new Set(turnIds).size).toBe(3);
  assertValidTranscript([user("u1"), ...messages]);
});
