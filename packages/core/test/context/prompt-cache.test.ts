/** Consecutive requests share their prefix, so that the provider's prompt cache is hit. */
import type { ChatMessage } from "@capstan/kernel";
import type { Entry } from "@capstan/log";
import type { RecordedRequest } from "@capstan/testing";
import { callTool, echoTool, reply, say, think } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { full, long, smallWorld, summary } from "./compaction-world.ts";

/** What a provider's cache goes by, in its order. */
function bytesOf({ options, tools, messages }: RecordedRequest): string {
  const { systemPrompt, thinkingLevel, model } = options;
  const head = JSON.stringify([model, systemPrompt, thinkingLevel, tools]);
  return head + messages.map((message: ChatMessage) => JSON.stringify(message)).join("");
}

/** Which requests do not begin with the one before. */
function misses(requests: readonly RecordedRequest[]): number[] {
  return requests.flatMap((request, place) => {
    const before = requests[place - 1];
    return before === undefined || bytesOf(request).startsWith(bytesOf(before)) ? [] : [place];
  });
}

/** How often the log says why. */
function reasonsIn(entries: readonly Entry[]): string[] {
  return entries
    .map(({ type }) => type)
    .filter((type) => type === "compaction" || type === "eviction" || type === "prompt")
    .slice(1);
}

describe("the prompt cache", () => {
  test("each request begins with the bytes of the one before, over steps, turns and hosts", async () => {
    let asked = 0;
    const step = reply(think("Hm", { signature: "s" }), callTool("echo", { a: 1 }));
    const world = smallWorld([step, step, say("One"), step, say("Two"), say("Three")], {
      tools: [echoTool()],
      // The time of day in the instructions is what costs most of those who lose their cache.
      settings: { instructions: () => `It is ${++asked} o'clock.` },
    });
    const session = world.session("s1");
    await session.run("1");
    await session.run("2");
    await session.close();

    await (await world.host().open("s1")).run("3");

    expect(world.provider.requests).toHaveLength(6);
    expect(misses(world.provider.requests)).toEqual([]);
    expect(reasonsIn(world.entries("s1"))).toEqual([]);
  });

  test("the request for a summary has the bytes of the conversation, too", async () => {
    const world = smallWorld([callTool("echo"), full(say("One"), 8_500), summary, say("Two")], {
      tools: [echoTool()],
      settings: { instructions: "Be brief.", thinkingLevel: "high" },
    });
    const session = world.session();
    await session.run(long("1"));

    await session.run("2");

    expect(misses(world.provider.requests.slice(0, 3))).toEqual([]);
  });

  test("a compaction misses it once, and the log says why", async () => {
    const world = smallWorld(
      [full(say("One"), 8_500), summary, callTool("echo"), say("Two"), say("Three")],
      { tools: [echoTool()] },
    );
    const session = world.session();
    await session.run(long("1"));
    await session.run("2");

    await session.run("3");

    const asked = world.provider.requests.filter(({ toolChoice }) => toolChoice !== "none");
    expect(misses(asked)).toEqual([1]);
    expect(reasonsIn(world.entries(session.id))).toEqual(["compaction"]);
  });
});
