/** On the wire a delta has a constant size, and a reply costs what it says. */
import { callTool, echoTool, reply, say, think } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { createWorld } from "./world.ts";

/** All bytes of a turn of so many deltas, and those of one delta in the middle. */
async function bytesOf(deltas: number): Promise<{ readonly all: number; readonly one: number }> {
  const world = await createWorld([say(Array.from({ length: deltas }, () => "abcd"))]);
  const response = await world.post("/api/agent/execute", { input: "Hi" });
  const text = await response.text();
  const frames = text.split("\n\n").filter((frame) => frame.includes('"text_delta"'));
  const middle = frames.at(Math.floor(frames.length / 2)) ?? "";
  return { all: Buffer.byteLength(text), one: Buffer.byteLength(`${middle}\n\n`) };
}

describe("bytes on the wire grow with what is said", () => {
  test("a delta of four characters has at most 60 bytes with its place, wherever it stands", async () => {
    const short = await bytesOf(10);
    const long = await bytesOf(900);

    expect(short.one).toBeLessThanOrEqual(60);
    expect(long.one).toBeLessThanOrEqual(60);
    expect(long.one - short.one).toBeLessThanOrEqual(4);
  });

  test("ten times as much to say is ten times as many bytes, and no more", async () => {
    const small = await bytesOf(80);
    const large = await bytesOf(800);

    expect(large.all).toBeLessThan(small.all * 10);
  });

  test("a reply is on the wire as its deltas and once more as the message", async () => {
    const text = "x".repeat(10_000);
    const world = await createWorld(
      [reply(think(text), say(text), callTool("echo", { text })), say("Done")],
      { tools: [echoTool()] },
    );

    const response = await world.post("/api/agent/execute", { input: "Hi" });
    const body = await response.text();

    // Thinking and text: twice. Arguments: delta, call, message. The result: when it is there, and as a message.
    const times = body.split(text).length - 1;
    expect(times).toBe(2 + 2 + 3 + 1 + 2);
  });
});
