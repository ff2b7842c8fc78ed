/** When the loop stops: what it keeps, and what it leaves to its caller. */
import { agentLoop } from "@capstan/kernel";
import type { AgentEvent } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  failAfter,
  failBefore,
  finish,
  remoteTool,
  reply,
  say,
  stall,
  usage,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { expect, test } from "vitest";
import { scriptedLoop, user, userIds } from "./scripted-loop.ts";

test.each<readonly [string, ScriptItem]>([
  ["an error before any content", failBefore("invalid_request")],
  ["an error after partial content", failAfter(say("Hel"), "invalid_request")],
  ["a reply that ends in error", reply(say("Hel"), finish("error"))],
])("after %s nothing is taken from the queues", async (_, failing) => {
  const { provider, config, steering, followUps } = scriptedLoop(
    [
      () => {
        steering.push(user("s1"));
        return failing;
      },
    ],
    { followUps: [user("f1")] },
  );

  const response = await agentLoop([user("u1")], { messages: [] }, config).response;

  expect(response.status).toBe("error");
  expect([userIds(steering), userIds(followUps)]).toEqual([["s1"], ["f1"]]);
  provider.assertComplete();
});

test("after an abort nothing is taken from the queues", async () => {
  const controller = new AbortController();
  const { provider, config, steering, followUps } = scriptedLoop(
    [
      () => {
        steering.push(user("s1"));
        controller.abort("enough");
        return stall();
      },
    ],
    { followUps: [user("f1")] },
  );

  const turn = agentLoop([user("u1")], { messages: [] }, config, controller.signal);
  const response = await turn.response;

  expect(response.status).toBe("aborted");
  expect([userIds(steering), userIds(followUps)]).toEqual([["s1"], ["f1"]]);
  provider.assertComplete();
});

test("while a call is pending nothing is taken from the queues", async () => {
  const { config, followUps } = scriptedLoop([callTool("remote")], { followUps: [user("f1")] });

  const turn = agentLoop([user("u1")], { messages: [], tools: [remoteTool()] }, config);
  await turn.response;

  expect(userIds(followUps)).toEqual(["f1"]);
});

test("a signal that fired before the start leaves the queues alone", async () => {
  const { config, steering, followUps } = scriptedLoop([], {
    steering: [user("s1")],
    followUps: [user("f1")],
  });

  const turn = agentLoop([user("u1")], { messages: [] }, config, AbortSignal.abort());
  const response = await turn.response;

  expect(response.status).toBe("aborted");
  expect([userIds(steering), userIds(followUps)]).toEqual([["s1"], ["f1"]]);
});

test("an abort while the end of a turn is being recorded is the last thing that happens", async () => {
  const controller = new AbortController();
  const { provider, config, followUps } = scriptedLoop([say("Done")], { followUps: [user("f1")] });

  const turn = agentLoop(
    [user("u1")],
    { messages: [] },
    {
      ...config,
      journal: {
        record: (facts) => {
          facts.filter((fact) => fact.type === "turn_ended").forEach(() => controller.abort());
        },
      },
    },
    controller.signal,
  );
  await turn.response;

  expect(userIds(followUps)).toEqual(["f1"]);
  provider.assertComplete();
});

function deliveredIds(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "message_end" ? userIds([event.message]) : []));
}

function returnedIds(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "steering_returned" ? event.ids : []));
}

test("what was handed over and not delivered before an abort is named as returned", async () => {
  const controller = new AbortController();
  const { config } = scriptedLoop(
    [
      () => {
        controller.abort();
        return stall();
      },
    ],
    { steering: [user("s1"), user("s2"), user("s3")] },
  );

  const turn = agentLoop([user("u1")], { messages: [] }, config, controller.signal);
  const events = await Array.fromAsync(turn);

  expect(deliveredIds(events)).toEqual(["u1", "s1"]);
  expect(returnedIds(events)).toEqual(["s2", "s3"]);
});

test("a follow-up that was handed over and not begun before an error is named as returned", async () => {
  const { config } = scriptedLoop([say("Done"), failBefore("auth")], {
    followUps: [user("f1"), user("f2")],
  });

  const events = await Array.fromAsync(agentLoop([user("u1")], { messages: [] }, config));

  expect(deliveredIds(events)).toEqual(["u1", "f1"]);
  expect(returnedIds(events)).toEqual(["f2"]);
});

test("steering that made calls be skipped and was not delivered before an abort is returned", async () => {
  const controller = new AbortController();
  const { config, steering } = scriptedLoop([reply(callTool("echo"), callTool("echo"))]);

  const turn = agentLoop(
    [user("u1")],
    { messages: [], tools: [echoTool()] },
    {
      ...config,
      dispatch: {
        mode: "sequential",
        steering: "skip-remaining",
        after: () => void steering.push(user("s1")),
      },
      onStepComplete: () => controller.abort(),
    },
    controller.signal,
  );
  const events = await Array.fromAsync(turn);

  expect(events).toContainEqual(
    expect.objectContaining({ output: expect.stringContaining("Skipped") }),
  );
  expect(deliveredIds(events)).not.toContain("s1");
  expect(returnedIds(events)).toEqual(["s1"]);
});

test("steering that went with the prompts is in the response, as the caller has not seen it yet", async () => {
  const { config } = scriptedLoop([say("Done")], { steering: [user("s1")] });

  const { messages } = await agentLoop([user("u1")], { messages: [] }, config).response;

  expect(messages.map((message) => message.role)).toEqual(["user", "assistant"]);
});

test("a follow-up queue that fails keeps what was done, and the loop still settles", async () => {
  const { config } = scriptedLoop([reply(say("Done"), usage({ inputTokens: 3 }))]);

  const turn = agentLoop(
    [user("u1")],
    { messages: [] },
    {
      ...config,
      getFollowUpMessages: () => {
        throw new Error("the queue is broken");
      },
    },
  );
  const events = await Array.fromAsync(turn);
  const response = await turn.response;

  expect(response.messages).toMatchObject([{ role: "assistant", content: [{ text: "Done" }] }]);
  expect(response.usage).toEqual({ inputTokens: 3 });
  expect(events.at(-1)?.type).toBe("settled");
});

test("a steering queue that fails at the start is an error, and the loop still settles", async () => {
  const { config } = scriptedLoop([say("Done")]);

  const turn = agentLoop(
    [user("u1")],
    { messages: [] },
    {
      ...config,
      getSteeringMessages: () => {
        throw new Error("the queue is broken");
      },
    },
  );
  const events = await Array.fromAsync(turn);
  const response = await turn.response;

  expect(response).toMatchObject({
    status: "error",
    error: { message: expect.stringContaining("the queue is broken") },
  });
  expect(events.at(-1)?.type).toBe("settled");
});
