/** A reader that reconnects over HTTP loses no events: by the header, the address, and the log. */
import { WireReader } from "@capstan/log";
import type { WireEvent } from "@capstan/log";
import { callTool, deferredTool, echoTool, reply, say, stall, wait } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { Frame } from "./sse.ts";
import { StreamReader, typesOf } from "./sse.ts";
import type { World } from "./world.ts";
import { createWorld, errorOf } from "./world.ts";

const execute = "/api/agent/execute";

const follow = async (
  world: World,
  sessionId: string,
  place: { readonly after?: string; readonly lastEventId?: string } = {},
): Promise<StreamReader> => {
  const { after, lastEventId } = place;
  const query = after === undefined ? "" : `?after=${after}`;
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const path = `/api/agent/session/${sessionId}/events${query}`;
  return new StreamReader(await world.request(path, { headers }));
};

interface Reading {
  readonly lastSeq: number;
  readonly messages: readonly unknown[];
  readonly entries: readonly { readonly seq: number }[];
}

const placed = (frames: readonly Frame[]): readonly Frame[] =>
  frames.filter(({ data }) => data.type !== "stream_start" && data.type !== "execute_complete");

describe("a reader that reconnects", () => {
  test("from any place of a finished turn the header and the address give every fact behind it, once", async () => {
    const world = await createWorld([callTool("echo", { n: 1 }), say("Done")], {
      tools: [echoTool()],
    });
    const { sessionId, frames } = await world.execute({ input: "Go" });
    const whole = await follow(world, sessionId, { after: "0.0" });
    await whole.until("settled");
    const facts = placed(whole.seen).map(({ id }) => id);

    const tailsBehind = (toPlace: (id: string) => Parameters<typeof follow>[2]) =>
      Promise.all(
        facts.slice(0, -1).map(async (id = "") => {
          const reader = await follow(world, sessionId, toPlace(id));
          await reader.until("settled");
          return placed(reader.seen).map((frame) => frame.id);
        }),
      );

    const byHeader = await tailsBehind((id) => ({ lastEventId: id, after: "0.0" }));
    const byAddress = await tailsBehind((id) => ({ after: id }));

    const expected = facts.slice(0, -1).map((_, place) => facts.slice(place + 1));
    expect(facts.length).toBeGreaterThan(10);
    expect(byHeader).toEqual(expected);
    expect(byAddress).toEqual(expected);
    expect(typesOf(frames).at(-1)).toBe("execute_complete");
  });

  test("what was only live comes back as one snapshot, in the middle of the reply, and the rest goes on from it", async () => {
    const gate = Promise.withResolvers<void>();
    const world = await createWorld([reply(say("Hel"), wait(gate.promise), say("lo"))]);
    const running = new StreamReader(await world.post(execute, { input: "Hi" }));
    await running.until("text_delta");
    const sessionId = running.response.headers.get("x-session-id") ?? "";
    await running.leave();

    const late = await follow(world, sessionId, { after: "0.0" });
    const snapshot = await late.until("snapshot");
    gate.resolve();
    await late.until("turn_end");

    expect(snapshot.data["message"]).toMatchObject({ content: [{ type: "text", text: "Hel" }] });
    const reader = new WireReader(sessionId);
    const events = placed(late.seen).map(({ data }) => reader.read(data as unknown as WireEvent));
    const said = events.filter((event) => event.type === "text_end").map(({ text }) => text);
    expect(said).toEqual(["Hel", "lo"]);
    expect(typesOf(late.seen).filter((type) => type === "snapshot")).toHaveLength(1);
  });

  test("a reader without a place gets what is live, and then what comes", async () => {
    const gate = Promise.withResolvers<void>();
    const world = await createWorld([reply(say("Hel"), wait(gate.promise), say("lo"))]);
    const running = new StreamReader(await world.post(execute, { input: "Hi" }));
    await running.until("text_delta");
    const sessionId = running.response.headers.get("x-session-id") ?? "";

    const late = await follow(world, sessionId);
    await late.until("snapshot");
    gate.resolve();
    await late.until("turn_end");

    expect(typesOf(late.seen)).not.toContain("turn_start");
    expect(typesOf(late.seen)).toContain("message_end");
  });

  test("several readers get the same events, each from its place", async () => {
    const world = await createWorld([say("One"), say(["T", "w", "o"])]);
    const { sessionId } = await world.execute({ input: "First" });
    const session = await (await world.request(`/api/agent/session/${sessionId}`)).json();
    const { cursor } = session as { readonly cursor: string };
    const readers = await Promise.all(
      [1, 2, 3].map(() => follow(world, sessionId, { after: cursor })),
    );

    const { frames } = await world.execute({ sessionId, input: "Second" });
    await Promise.all(readers.map((reader) => reader.until("settled")));

    const expected = frames.slice(1, -1).map(({ id }) => id);
    const got = readers.map(({ seen }) => seen.slice(1, -1).map(({ id }) => id));
    expect(got).toEqual([expected, expected, expected]);
  });

  test("the session as it is in the middle of a turn says where to follow it, and what is live", async () => {
    const tool = deferredTool();
    const world = await createWorld([reply(say("Hm"), callTool("deferred", {})), say("Done")], {
      tools: [tool],
    });
    const running = new StreamReader(await world.post(execute, { input: "Hi" }));
    const [call] = await tool.whenStarted();
    call?.context.update("half");
    await running.until("tool_execution_delta");
    const sessionId = running.response.headers.get("x-session-id") ?? "";

    const response = await world.request(`/api/agent/session/${sessionId}`);
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    const reader = await follow(world, sessionId, { after: String(body["cursor"]) });
    tool.resolve(call?.toolCallId ?? "", "whole");
    await reader.until("turn_end");

    expect(body).toMatchObject({
      status: "running",
      messages: [{ role: "user" }, { role: "assistant" }],
      live: { toolOutputs: [{ output: "half" }] },
    });
    expect(typesOf(reader.seen).slice(0, 2)).toEqual(["stream_start", "tool_execution_end"]);
  });

  test("sinceSeq reads the same log", async () => {
    const world = await createWorld([say("One"), say("Two")]);
    const { sessionId } = await world.execute({ input: "First" });
    const read = async (query = ""): Promise<Reading> =>
      (await (await world.request(`/api/agent/session/${sessionId}${query}`)).json()) as Reading;
    const { lastSeq } = await read();
    await world.execute({ sessionId, input: "Second" });

    const since = await read(`?sinceSeq=${lastSeq}`);
    const all = await read();

    expect(since).toMatchObject({ messages: [{ content: "Second" }, { role: "assistant" }] });
    expect(all.messages).toHaveLength(4);
    expect(since.entries).toEqual(all.entries.filter(({ seq }) => seq > lastSeq));
  });

  test("leaving stops nothing", async () => {
    const gate = Promise.withResolvers<void>();
    const world = await createWorld([reply(say("Hel"), wait(gate.promise), say("lo"))]);
    const running = new StreamReader(await world.post(execute, { input: "Hi" }));
    await running.until("text_delta");
    const sessionId = running.response.headers.get("x-session-id") ?? "";

    await running.leave();
    gate.resolve();
    const session = await world.host.open(sessionId);
    await session.waitForIdle();

    expect(session.messages).toMatchObject([{ role: "user" }, { stopReason: "stop" }]);
  });

  test.each(["1", "a.b", "1.2.3", "-1.0", "1e3.1", "99999999999999999.1"])(
    "%s is no place",
    async (place) => {
      const world = await createWorld([stall()]);
      const running = await world.post(execute, { input: "Hi" });
      const sessionId = running.headers.get("x-session-id") ?? "";
      const path = `/api/agent/session/${sessionId}/events`;

      const byAddress = await world.request(`${path}?after=${place}`);
      const byHeader = await world.request(path, { headers: { "last-event-id": place } });

      expect(await errorOf(byAddress)).toMatchObject({ status: 400, paths: ["after"] });
      expect(await errorOf(byHeader)).toMatchObject({ status: 400, paths: ["last-event-id"] });
    },
  );
});
