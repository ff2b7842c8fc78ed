import type { ProviderErrorCode } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { callTool, cutOff, echoTool, failAfter, failBefore, say } from "@capstan/testing";
import type { EmulatorScriptItem } from "@capstan/testing/emulators";
import { cutConnection, overload, respondWith, throttle } from "@capstan/testing/emulators";
import { describe, expect, test } from "vitest";
import { fromAiSdk } from "../../src/ai-sdk.ts";
import { repliesIn } from "../emulated-turns.ts";
import { turnWith, vendors } from "./emulated-models.ts";
import { requestOf } from "./models.ts";

const once = say("Once upon");

describe.each(vendors)("a model of %s", (_, vendor, id) => {
  test.each<[string, EmulatorScriptItem, ProviderErrorCode, boolean]>([
    ["asks to wait", throttle({ retryAfterSeconds: 7 }), "rate_limit", true],
    ["is overloaded", overload(), "overloaded", true],
    ["does not know the key", failBefore("auth"), "auth", false],
    ["has no room for the conversation", failBefore("context_overflow"), "context_overflow", false],
    [
      "stands behind a broken gateway",
      respondWith({ status: 502, body: "Bad" }),
      "overloaded",
      true,
    ],
    ["is overloaded before it says a word", failAfter("overloaded"), "overloaded", true],
    ["is overloaded in the middle of its reply", failAfter(once, "overloaded"), "overloaded", true],
    [
      "has had enough in the middle of its reply",
      failAfter(once, "rate_limit"),
      "rate_limit",
      true,
    ],
    ["says something that is no JSON", failAfter(once, "protocol"), "protocol", false],
    ["loses the connection", [once, cutConnection()], "network", true],
    ["stops without an end", [once, cutOff()], "network", true],
    ["stops before it has begun", cutOff(), "network", true],
  ])("that %s fails with a code that says so", async (_name, item, code, retryable) => {
    await using emulator = await vendor.start([item]);
    const { provider } = fromAiSdk(vendor.model(emulator, id));

    const thrown = await Array.fromAsync(provider.stream(requestOf())).catch(
      (failure: unknown) => failure,
    );

    expect(thrown).toBeInstanceOf(ProviderError);
    expect(thrown).toMatchObject({ code, retryable });
  });

  test("says how long to wait", async () => {
    await using emulator = await vendor.start([throttle({ retryAfterSeconds: 7 })]);
    const { provider } = fromAiSdk(vendor.model(emulator, id));

    const reading = Array.fromAsync(provider.stream(requestOf()));

    await expect(reading).rejects.toMatchObject({ retryAfterMs: 7_000, status: 429 });
  });

  test.each<[string, EmulatorScriptItem]>([
    ["is overloaded", failAfter(once, callTool("echo", { a: 1 }), "overloaded")],
    ["loses the connection", [once, cutConnection()]],
    ["stops without an end", [once, cutOff()]],
  ])("that %s is asked again, and nothing is said or done twice", async (_name, broken) => {
    const good = [say("Once upon a time"), callTool("echo", { a: 2 })];
    await using emulator = await vendor.start([broken, good, say("The end.")]);
    const tool = echoTool();

    const turn = await turnWith(vendor.model(emulator, id), {
      tools: [tool],
      limits: { retry: { maxAttempts: 2 } },
    });

    expect(repliesIn(turn.transcript)).toEqual(["Once upon a time", "The end."]);
    expect(tool.started.map(({ input }) => input)).toEqual([{ a: 2 }]);
    expect(turn.events.filter(({ type }) => type === "attempt_discarded")).toHaveLength(1);
    emulator.assertComplete();
  });
});
