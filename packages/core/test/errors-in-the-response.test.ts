/** No error is swallowed: each is in the events and in the response. */
import { createAgent, createSession } from "@capstan/core";
import type { ProviderContract, TurnResponse } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { cutOff, failAfter, failBefore, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";

function agentOn(model: ProviderContract): ReturnType<typeof createAgent> {
  return createAgent({ name: "helper", model, retry: { maxAttempts: 1 } });
}

test.each<readonly [string, ProviderContract, string]>([
  ["fails at once", scriptedProvider([failBefore("auth")]), "auth"],
  ["fails in the middle", scriptedProvider([failAfter(say("Well"), "overloaded")]), "overloaded"],
  ["breaks off", scriptedProvider([[say("Well"), cutOff()]]), "network"],
  ["throws something of its own", scriptedProvider([failBefore(new RangeError("odd"))]), "odd"],
])("if a provider %s, the error is in the events and in the response", async (_, model, what) => {
  const turn = agentOn(model).runStream("Hello");

  const events = await Array.fromAsync(turn);
  const response = await turn.response;

  expect(response.status).toBe("error");
  expect([response.error?.code, response.error?.message]).toContain(what);
  expect(errorOf(events)).toEqual(response.error);
});

test("the response has the error, whether the events are read or not", async () => {
  const agent = agentOn(scriptedProvider([failBefore("auth"), failBefore("auth")]));

  const responses: TurnResponse[] = [
    await agent.runTurn({ input: "Hello" }).response,
    await createSession({ agent }).send("Hello").response,
  ];

  const error = { name: "ProviderError", message: "scripted auth", code: "auth" };
  expect(responses).toMatchObject([
    { status: "error", error },
    { status: "error", error },
  ]);
});

test("a callback that throws is a typed error of the turn, with the name of the callback", async () => {
  const agent = agentOn(scriptedProvider([say("Hello")])).with({
    transformContext() {
      throw new Error("out of order");
    },
  });

  const { status, error } = await agent.runTurn({ input: "Hello" }).response;

  expect(status).toBe("error");
  expect(error).toEqual({
    name: "TurnError",
    code: "callback_failed",
    message: "transformContext failed: out of order",
  });
});

function errorOf(events: readonly SessionEvent[]): unknown {
  const last = events.at(-1);
  return last?.type === "turn_end" ? last.error : undefined;
}
