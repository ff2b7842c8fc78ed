/** A vendor that fails in the middle of a reply: no work is lost, and no text appears twice. */
import { callTool, cutOff, echoTool, failAfter, say, usage } from "@capstan/testing";
import type { EmulatorScriptItem } from "@capstan/testing/emulators";
import { anthropicEmulator, cutConnection } from "@capstan/testing/emulators";
import { expect, test } from "vitest";
import { repliesIn, turnWith } from "./emulated-turns.ts";

const retry = { maxAttempts: 3 };
const model = "claude-sonnet-5";

test.each<[string, EmulatorScriptItem]>([
  ["says that it is overloaded", failAfter(say("Once upon"), "overloaded")],
  ["loses the connection", [say("Once upon"), cutConnection()]],
  ["stops without an end", [say("Once upon"), cutOff()]],
])(
  "a vendor that %s in the middle of a reply is asked again, and nothing is there twice",
  async (_, broken) => {
    await using claude = await anthropicEmulator([broken, say("Once upon a time")]);

    const turn = await turnWith({ model, url: claude.url, limits: { retry } });

    expect(turn.finishReason).toBe("stop");
    expect(repliesIn(turn.transcript)).toEqual(["Once upon a time"]);
    expect(turn.events.filter(({ type }) => type === "attempt_discarded")).toHaveLength(1);
    claude.assertComplete();
  },
);

test("calls of a reply that broke off are not run, and those of the next one run once", async () => {
  const broken = failAfter(say("Looking."), callTool("echo", { a: 1 }), "overloaded");
  await using claude = await anthropicEmulator([broken, callTool("echo", { a: 2 }), say("Done.")]);
  const tool = echoTool();

  await turnWith({ model, url: claude.url, tools: [tool], limits: { retry } });

  expect(tool.started.map(({ input }) => input)).toEqual([{ a: 2 }]);
});

test("what the failed attempt has cost is counted", async () => {
  const counts = { inputTokens: 100, outputTokens: 7 };
  await using claude = await anthropicEmulator([
    failAfter(usage(counts), say("Once upon"), "overloaded"),
    [usage(counts), say("Done.")],
  ]);

  const turn = await turnWith({ model, url: claude.url, limits: { retry } });

  expect(turn.usage?.inputTokens).toBeGreaterThanOrEqual(200);
});

test("without another attempt the text so far is kept, with the error", async () => {
  await using claude = await anthropicEmulator([failAfter(say("Once upon"), "overloaded")]);

  const turn = await turnWith({ model, url: claude.url });

  expect(turn.messages).toMatchObject([
    { role: "assistant", stopReason: "error", content: [{ text: "Once upon" }] },
  ]);
  expect(turn.error).toMatchObject({ code: "overloaded" });
});
