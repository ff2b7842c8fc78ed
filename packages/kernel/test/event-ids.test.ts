/** Events of a caller that has another name for a conversation. */
import { runTurn } from "@capstan/kernel";
import type { AgentEvent } from "@capstan/kernel";
import {
  callTool,
  echoTool,
  failBefore,
  reply,
  say,
  scriptedProvider,
  think,
} from "@capstan/testing";
import { expect, test } from "vitest";

test("every event has the ids that the caller chose; requests and tools keep the conversation's", async () => {
  const echo = echoTool();
  const provider = scriptedProvider([
    callTool("echo"),
    failBefore("overloaded"),
    reply(think("Hm"), say("Done")),
  ]);
  const events: AgentEvent<{ readonly room: string; readonly turnId: string }>[] = [];

  await runTurn(
    {
      provider,
      messages: [],
      input: [{ role: "user", id: "u1", content: "Hello" }],
      tools: [echo],
      dispatch: {},
      emit: (event) => events.push(event),
      conversationId: "c1",
      turnId: "t1",
      limits: { retry: { maxAttempts: 2 } },
    },
    { room: "r1", turnId: "t1" },
  );

  const ids = events.map(({ room, turnId }) => ({ room, turnId }));
  const places = [...provider.requests, ...echo.started.map((call) => call.context)];
  expect(ids).toEqual(events.map(() => ({ room: "r1", turnId: "t1" })));
  expect(events.filter((event) => "conversationId" in event)).toEqual([]);
  expect([...new Set(places.map((place) => place.conversationId))]).toEqual(["c1"]);
});
