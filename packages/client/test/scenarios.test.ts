/** The same sentences about a session, however it is reached. */
import type { ChatMessage } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { reply, say, stall } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { transports } from "./transports.ts";

function rolesOf(messages: readonly ChatMessage[]): string[] {
  return messages.map(({ role }) => role);
}

function typesOf(events: readonly SessionEvent[]): string[] {
  return events.map(({ type }) => type);
}

describe.each(transports)("%s", (_, open) => {
  test("a turn says its text, as deltas and as a whole", async () => {
    const { session } = await open([say(["Hel", "lo"])]);

    const turn = session.send("Hi");
    const events = await Array.fromAsync(turn);
    const response = await turn.response;

    expect(response).toMatchObject({ status: "completed", text: "Hello", finishReason: "stop" });
    expect(events.flatMap((event) => (event.type === "text_delta" ? event.delta : []))).toEqual([
      "Hel",
      "lo",
    ]);
    expect(typesOf(events).at(0)).toBe("turn_start");
    expect(typesOf(events).at(-1)).toBe("turn_end");
    expect(rolesOf(session.state.messages)).toEqual(["user", "assistant"]);
    expect(session.state.status).toBe("completed");
  });

  test("a follow-up is a turn of its own, and then the session is idle", async () => {
    const { session } = await open([say("One"), say("Two")]);
    const turn = session.send("First");

    await session.followUp("Second");
    await turn.response;
    await session.waitForIdle();

    expect(rolesOf(session.state.messages)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(session.state.queues).toEqual({ steering: [], followUp: [] });
  });

  test("an abort keeps what was said, and says that it was interrupted", async () => {
    const { session } = await open([reply(say("Half of"), stall()), say("Whole")]);
    const turn = session.send("Talk");
    for await (const event of turn) if (event.type === "text_delta") turn.abort("enough");

    const { status, messages } = await turn.response;
    const next = await session.send("Again").response;

    expect(status).toBe("aborted");
    expect(messages[0]).toMatchObject({ role: "assistant", stopReason: "aborted" });
    expect(messages[1]).toMatchObject({ role: "user", content: "[interrupted by user]" });
    expect(next.text).toBe("Whole");
  });

  test("a fork has the same past and a future of its own", async () => {
    const { session } = await open([say("One"), say("Here"), say("There")]);
    await session.send("First").response;
    const fork = await session.fork();

    await session.send("Second").response;
    await fork.send("Another").response;

    expect(fork.id).not.toBe(session.id);
    expect(rolesOf(fork.state.messages)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(fork.state.messages.slice(0, 2)).toEqual(session.state.messages.slice(0, 2));
    expect(fork.state.messages.at(-1)).toMatchObject({
      content: [{ type: "text", text: "There" }],
    });
  });

  test("a second send is refused while a turn is unfinished, with the code that says so", async () => {
    const { session } = await open([reply(say("Half"), stall())]);
    const turn = session.send("First");
    await turn[Symbol.asyncIterator]().next();

    const { status, error } = await session.send("Second").response;
    turn.abort();

    expect(status).toBe("error");
    expect(error?.code).toBe("turn_unfinished");
    expect((await turn.response).status).toBe("aborted");
  });

  test("the same id twice is one turn", async () => {
    const { session, provider } = await open([say("Once")]);

    const first = await session.send("Hi", { id: "t1" }).response;
    const again = await session.send("Hi", { id: "t1" }).response;

    expect(again.text).toBe("Once");
    expect(again).toEqual(first);
    expect(provider.requests).toHaveLength(1);
  });
});
