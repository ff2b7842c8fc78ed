/** Compactions cost money, so each request gets at most one. */
import { callTool, echoTool, failBefore, reply, say, usage } from "@capstan/testing";
import type { ScriptItem } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { full, long, smallWorld, summary } from "./compaction-world.ts";
import { mortal } from "../mortal.ts";

const leaseMs = 30_000;
/** A model that is always nearly full, whatever it is shown. */
const alwaysFull = full(callTool("echo", { text: "x" }), 9_000);
const verbose = reply(say(long("They")), usage({ inputTokens: 900, outputTokens: 900 }));

/** What a model does for as long as it is asked. */
function forever(...items: ScriptItem[]): ScriptItem[] {
  return Array.from({ length: 50 }, () => items).flat();
}

describe("compaction does not run again and again", () => {
  test("one that frees nothing ends the turn, and is not tried again", async () => {
    const world = smallWorld([alwaysFull, ...forever(verbose)], { tools: [echoTool()] });
    const session = world.session();

    const response = await session.send(long("Go")).response;

    expect(response.finishReason).toBe("context-exhausted");
    expect(world.provider.requests).toHaveLength(2);
  });

  test("for one request there is at most one, however often the provider calls it too long", async () => {
    const world = smallWorld([
      say("Hello"),
      failBefore("context_overflow"),
      summary,
      ...forever(failBefore("context_overflow")),
    ]);
    const session = world.session();
    await session.run(long("Go"));

    const response = await session.send("Again").response;

    expect(response.finishReason).toBe("context-exhausted");
    expect(world.entriesOf(session, "compaction")).toHaveLength(1);
    expect(world.provider.requests).toHaveLength(4);
  });

  test("a summary that failed is not asked for again when the provider calls that same request too long", async () => {
    const failed = failBefore("invalid_request");
    const overflow = failBefore("context_overflow");
    const world = smallWorld([full(say("Hello"), 8_500), failed, overflow, summary, say("Never")]);
    const session = world.session();
    await session.run(long("Go"));

    const response = await session.send("Again").response;

    expect(response.finishReason).toBe("context-exhausted");
    expect(world.provider.requests).toHaveLength(3);
  });

  test("the count is in the log: a process that takes the turn over does not begin anew", async () => {
    const world = smallWorld(
      [full(callTool("echo"), 8_500), summary, ...forever(failBefore("context_overflow"))],
      { tools: [echoTool()] },
    );
    const first = mortal(world.repository);
    first.dieAfter("compaction");
    const dying = world.host({ repository: first.repository });
    dying.createSession({ agent: "helper", id: "s1" }).send(long("Go"));
    await world.clock.advance(0);

    const session = await world.host().open("s1");
    await world.clock.advance(leaseMs * 2);
    await session.waitForIdle();

    expect(world.entriesOf(session, "compaction_started")).toHaveLength(1);
    expect(world.entriesOf(session, "turn_ended")).toMatchObject([
      { finishReason: "context-exhausted" },
    ]);
    expect(world.provider.requests).toHaveLength(3);
  });

  test("a model that is nearly full after every step is not summarized without end", async () => {
    const script = [...forever(alwaysFull, reply(say("Short"), usage({ inputTokens: 900 })))];
    const world = smallWorld(script, { tools: [echoTool()], settings: { maxSteps: 20 } });
    const session = world.session();

    const response = await session.send(long("Go")).response;

    expect(response.finishReason).toBe("context-exhausted");
    expect(world.entriesOf(session, "compaction").length).toBeLessThanOrEqual(2);
  });

  test("a summary that always fails is asked for a few times at most, while the context grows", async () => {
    const sizes = [8_100, 8_200, 8_300, 8_400, 8_500, 8_600, 8_700, 8_800, 8_900, 9_000];
    let step = 0;
    const world = smallWorld(
      Array.from({ length: 40 }, () => ({ toolChoice }: { toolChoice?: string }): ScriptItem => {
        if (toolChoice === "none") return failBefore("invalid_request");
        const size = sizes[step++];
        return size === undefined ? say("Done") : full(callTool("echo"), size);
      }),
      { tools: [echoTool()] },
    );
    const session = world.session();

    const response = await session.send(long("Go")).response;

    expect(response).toMatchObject({ finishReason: "stop", text: "Done" });
    expect(world.entriesOf(session, "compaction_failed").length).toBeLessThanOrEqual(3);
  });
});
