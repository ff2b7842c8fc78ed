/** Clients that know nothing of Capstan: curl, and a reader of server-sent events as a browser has it. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { reply, say, wait } from "@capstan/testing";
import { createParser } from "eventsource-parser";
import { expect, test } from "vitest";
import { toFrame, typesOf } from "./sse.ts";
import { createWorld, tokens } from "./world.ts";

const authorization = `authorization: Bearer ${tokens.ann}`;

test("curl -N shows a turn while it is being written", async () => {
  const gate = Promise.withResolvers<void>();
  const world = await createWorld([reply(say("Hel"), wait(gate.promise), say("lo"))]);
  const curl = spawn("curl", [
    "-sN",
    "-H",
    authorization,
    "--json",
    JSON.stringify({ input: "Hi" }),
    `${world.node.url}/api/agent/execute`,
  ]);
  let text = "";
  const begun = Promise.withResolvers<void>();
  curl.stdout.on("data", (bytes: Buffer) => {
    text += bytes.toString();
    if (text.includes('"delta":"Hel"')) begun.resolve();
  });

  await begun.promise;
  const early = text;
  gate.resolve();
  await once(curl, "close");

  expect(early).not.toContain("turn_end");
  const frames = text
    .split("\n\n")
    .map(toFrame)
    .filter((frame) => frame !== undefined);
  expect(typesOf(frames).at(-1)).toBe("execute_complete");
});

test("curl answers, asks and stops with nothing but JSON", async () => {
  const world = await createWorld([say("Hi")]);
  const curl = async (...args: readonly string[]): Promise<string> => {
    const all = [
      "-s",
      "-H",
      authorization,
      ...args.slice(0, -1),
      `${world.node.url}${args.at(-1)}`,
    ];
    return (await promisify(execFile)("curl", all)).stdout;
  };
  const { sessionId } = await world.execute({ input: "Hi", id: "t1" });

  const session = await curl(`/api/agent/session/${sessionId}`);
  const cancelled = await curl(
    "--json",
    '{"turnId":"t1"}',
    `/api/agent/session/${sessionId}/cancel`,
  );
  const refused = await curl("-d", "input=Hi", "/api/agent/execute");

  expect(JSON.parse(session)).toMatchObject({ status: "completed" });
  expect(JSON.parse(cancelled)).toEqual({ turnId: "t1", isOver: true });
  expect(JSON.parse(refused)).toMatchObject({ error: { code: "unsupported_media_type" } });
});

test("a reader as browsers have it connects again by itself, with the last id, and misses nothing", async () => {
  const words = ["One", "Two", "Three"];
  const world = await createWorld(words.map((word) => say(word)));
  const { sessionId } = await world.execute({ input: "1" });
  const ids: string[] = [];
  const said: string[] = [];
  let retryMs = 0;
  /** One connection, up to the first end of a turn. */
  const connect = async (): Promise<void> => {
    const leave = new AbortController();
    const lastId = ids.at(-1);
    const response = await world.request(`/api/agent/session/${sessionId}/events?after=0.0`, {
      headers: {
        accept: "text/event-stream",
        ...(lastId !== undefined && { "last-event-id": lastId }),
      },
      signal: leave.signal,
    });
    const parser = createParser({
      onEvent({ id, event, data }) {
        if (leave.signal.aborted) return;
        expect(event).toBeUndefined();
        const { type, message } = JSON.parse(data) as { type: string; message?: { role: string } };
        if (id !== undefined && type !== "stream_start") ids.push(id);
        if (message?.role === "assistant") said.push(JSON.stringify(message));
        if (type === "turn_end") leave.abort();
      },
      onRetry: (ms) => (retryMs = ms),
    });
    const decoder = new TextDecoder();
    try {
      for await (const bytes of response.body ?? [])
        parser.feed(decoder.decode(bytes, { stream: true }));
    } catch (thrown) {
      if (!leave.signal.aborted) throw thrown;
    }
  };

  await connect();
  await world.execute({ sessionId, input: "2" });
  await connect();
  await world.execute({ sessionId, input: "3" });
  await connect();

  expect(retryMs).toBe(1_000);
  expect(new Set(ids).size).toBe(ids.length);
  expect(said).toHaveLength(3);
  expect(words.every((word, place) => said[place]?.includes(word))).toBe(true);
});
