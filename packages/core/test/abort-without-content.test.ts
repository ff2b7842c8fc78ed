import type { Session } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import {
  assertValidTranscript,
  cutToolCall,
  echoTool,
  failBefore,
  finish,
  ping,
  reply,
  say,
  stall,
  think,
} from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { World } from "./world.ts";
import { createWorld } from "./world.ts";
import { expectSameElsewhere } from "./same-elsewhere.ts";

const times = 10;

/** Sends so many times, and does the same with each turn before it waits for its end. */
function sendTenTimes(world: World, session: Session, interfere: () => unknown): Promise<string[]> {
  const sendOnce = async (): Promise<string> => {
    const turn = session.send("Try");
    await world.clock.advance(0);
    await interfere();
    const { status } = await turn.response;
    await session.waitForIdle();
    return status;
  };
  return inTurn(Array(times).fill(sendOnce));
}

/** One after another. */
async function inTurn<T>(tasks: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  for (const task of tasks) results.push(await task());
  return results;
}

/** What the last request showed to the model: acceptable, and with no reply in it. */
function expectOnlyUsers(world: World): void {
  const messages = world.provider.requests.at(-1)?.messages ?? [];
  assertValidTranscript(messages);
  expect(messages.map(({ role }) => role)).toEqual(Array(times + 1).fill("user"));
}

describe("a stopped turn without content leaves no message", () => {
  test.each<readonly [string, readonly ScriptItem[]]>([
    ["before the first part", []],
    ["after a mere sign of life", [ping()]],
    ["after thinking that cannot be sent back", [think("hm")]],
    ["inside the first call", [cutToolCall("echo", '{"x')]],
    ["at an empty text", [say("")]],
  ])("ten stops %s leave nothing that the next request could choke on", async (_, said) => {
    const stops = Array(times).fill(reply(...said, stall()));
    const world = createWorld([...stops, say("At last")], [echoTool()]);
    const session = world.host().createSession({ agent: "helper" });

    const statuses = await sendTenTimes(world, session, () => session.abort());
    const elsewhere = await expectSameElsewhere(world, session);
    const { text } = await elsewhere.send("Once more").response;

    expect(statuses).toEqual(Array(times).fill("aborted"));
    expect(text).toBe("At last");
    expectOnlyUsers(world);
  });

  test("ten stops right after the send leave the messages of the user, and nothing else", async () => {
    const item: ScriptItem = ({ messages }) => (messages.length > times ? say("At last") : stall());
    const world = createWorld(Array(times + 1).fill(item));
    const session = world.host().createSession({ agent: "helper" });
    const stopAtOnce = async (): Promise<string> => {
      const turn = session.send("Try");
      turn.abort();
      const { status } = await turn.response;
      await session.waitForIdle();
      return status;
    };

    const statuses = await inTurn(Array(times).fill(stopAtOnce));
    const { text } = await session.send("Once more").response;

    expect(statuses).toEqual(Array(times).fill("aborted"));
    expect(text).toBe("At last");
    expectOnlyUsers(world);
    await expectSameElsewhere(world, session);
  });

  test.each<readonly [string, ScriptItem, string]>([
    ["fails before it says anything", failBefore("overloaded"), "error"],
    ["says nothing and ends", finish("stop"), "completed"],
    ["says an empty text and ends", reply(say(""), finish("stop")), "completed"],
  ])("a provider that ten times %s leaves no message either", async (_, item, status) => {
    const world = createWorld([...Array(times).fill(item), say("At last")]);
    const session = world.host().createSession({ agent: "helper" });

    const statuses = await sendTenTimes(world, session, () => {});
    await session.send("Once more").response;

    expect(statuses).toEqual(Array(times).fill(status));
    expectOnlyUsers(world);
    await expectSameElsewhere(world, session);
  });

  test("an empty reply that comes with a loaded history stays in it, and is not sent to a model", async () => {
    const world = createWorld([say("Hi")]);
    const session = world.host().createSession({ agent: "helper" });
    const past: readonly ChatMessage[] = [
      { role: "user", id: "u1", content: "Hello" },
      { role: "assistant", id: "a1", content: [], stopReason: "aborted" },
    ];

    await session.loadHistory(past);
    await session.send("Hello again").response;

    expect(session.messages.slice(0, 2)).toEqual(past);
    expect(world.provider.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });
});
