import type {
  ChatMessage,
  Fact,
  LoopGuards,
  ProviderContract,
  ReplyToJudge,
} from "@capstan/kernel";
import {
  callTool,
  echoTool,
  reply,
  runToEnd,
  say,
  scriptedProvider,
  stall,
  usage,
} from "@capstan/testing";
import { describe, expect, test, vi } from "vitest";
import { problemsOf } from "./turn-problems.ts";

const noSecrets: LoopGuards["output"] = ({ text }) =>
  text.includes("secret") ? { reason: "It tells a secret", guard: "no_secrets" } : undefined;

function textsOf(messages: readonly ChatMessage[]): string[] {
  return messages.map((message) => JSON.stringify("content" in message ? message.content : ""));
}

describe("an input guard", () => {
  test("ends the turn before a model is asked, with its reason", async () => {
    const provider = scriptedProvider([]);
    const facts: Fact[] = [];

    const turn = await runToEnd({
      provider,
      input: [{ role: "user", id: "u1", content: "Do harm" }],
      guards: { input: async () => ({ reason: "It does harm", guard: "kind" }) },
      journal: { record: (batch) => void facts.push(...batch) },
    });

    const error = {
      name: "TurnError",
      code: "input_rejected",
      message: "It does harm",
      guard: "kind",
    };
    expect(turn).toMatchObject({ finishReason: "error", error, messages: [], usage: {} });
    expect(provider.requests).toEqual([]);
    expect(facts).toMatchObject([
      { type: "input_rejected", messageIds: ["u1"], error },
      { type: "turn_ended", finishReason: "error" },
    ]);
    expect(problemsOf(turn)).toEqual([]);
  });

  test("judges each message once: the input, and steering before it is sent", async () => {
    const provider = scriptedProvider([callTool("echo"), callTool("echo"), say("Done")]);
    const judged: string[][] = [];
    const steering = [[{ role: "user", id: "s1", content: "Faster" } as const], []];

    await runToEnd({
      provider,
      tools: [echoTool()],
      messages: [{ role: "user", id: "u0", content: "Unanswered" }],
      input: [{ role: "user", id: "u1", content: "Hello" }],
      drainSteering: () => steering.shift() ?? [],
      guards: {
        input: (messages) => {
          judged.push(messages.map(({ id }) => id));
          return undefined;
        },
      },
    });

    expect(judged).toEqual([["u1"], ["s1"]]);
  });

  test("is not asked again about what a model was asked before a crash", async () => {
    const provider = scriptedProvider([say("Done")]);
    const prior = { steps: 0, attempts: 1, attemptsInStep: 1, usage: {}, isResumed: true };

    const turn = await runToEnd({
      provider,
      guards: { input: () => ({ reason: "Changed its mind" }) },
      journal: { prior },
    });

    expect(turn.finishReason).toBe("stop");
  });
});

describe("an output guard", () => {
  test("that passes a reply lets all of its events through, once it is complete", async () => {
    const plain = await runToEnd({ provider: scriptedProvider([say("One two three")]) });
    const shownWhenJudged: number[] = [];
    const guarded = await runToEnd({
      provider: scriptedProvider([say("One two three")]),
      guards: {
        output: ({ message }) => {
          expect(message).toBeDefined();
          shownWhenJudged.push(0);
          return undefined;
        },
      },
    });

    expect(guarded.events).toEqual(plain.events);
    expect(shownWhenJudged).toEqual([0]);
  });

  test("holds back every delta until its verdict", async () => {
    let seen: string[] | undefined;
    const types: string[] = [];

    await runToEnd({
      provider: scriptedProvider([say("One two three")]),
      emit: ({ type }) => types.push(type),
      guards: {
        output: async () => {
          seen = [...types];
          return undefined;
        },
      },
    });

    expect(seen).not.toContain("text_delta");
    expect(seen).not.toContain("text_start");
    expect(types).toContain("text_delta");
  });

  test("that rejects ends the turn: the reply is recorded as rejected, and shown nowhere", async () => {
    const facts: Fact[] = [];
    const provider = scriptedProvider([reply(say("The secret"), usage({ inputTokens: 7 }))]);

    const turn = await runToEnd({
      provider,
      guards: { output: noSecrets },
      journal: { record: (batch) => void facts.push(...batch) },
    });

    expect(turn).toMatchObject({
      finishReason: "error",
      error: { code: "output_rejected", message: "It tells a secret", guard: "no_secrets" },
      messages: [],
      usage: { inputTokens: 7 },
    });
    expect(JSON.stringify(turn.events)).not.toContain("The secret");
    expect(facts.slice(1)).toMatchObject([
      {
        type: "attempt_ended",
        outcome: "rejected",
        rejected: { content: [{ text: "The secret" }] },
      },
      { type: "turn_ended", finishReason: "error" },
    ]);
    expect(problemsOf(turn)).toEqual([]);
  });

  test("runs no call of a rejected reply", async () => {
    const execute = vi.fn<() => string>(() => "ran");

    await runToEnd({
      provider: scriptedProvider([reply(say("The secret"), callTool("act"))]),
      tools: [{ ...echoTool({ name: "act" }), execute }],
      guards: { output: noSecrets },
    });

    expect(execute).not.toHaveBeenCalled();
  });

  test("may ask the model once more; it sees the text for it, and not its reply", async () => {
    const provider = scriptedProvider([say("The secret"), say("Fine")]);

    const turn = await runToEnd({
      provider,
      guards: {
        output: ({ text }) =>
          text.includes("secret") ? { reason: "No secrets", retry: "Say it nicely" } : undefined,
      },
    });

    expect(turn.finishReason).toBe("stop");
    expect(turn.messages).toMatchObject([
      { role: "user", content: "Say it nicely", source: "guard" },
      { role: "assistant", content: [{ text: "Fine" }] },
    ]);
    expect(textsOf(provider.requests[1]?.messages ?? [])).toEqual(['"Hello"', '"Say it nicely"']);
    expect(turn.recorder.ofType("step_end")).toMatchObject([
      { step: 1, finishReason: "rejected" },
      { step: 2, finishReason: "stop" },
    ]);
    expect(problemsOf(turn)).toEqual([]);
  });

  test("does not ask a third time", async () => {
    const provider = scriptedProvider([say("Secret one"), say("Secret two")]);

    const turn = await runToEnd({
      provider,
      guards: { output: () => ({ reason: "No secrets", retry: "Say it nicely" }) },
    });

    expect(turn).toMatchObject({ finishReason: "error", error: { code: "output_rejected" } });
    expect(turn.messages).toMatchObject([{ source: "guard" }]);
    expect(JSON.stringify(turn.events)).not.toContain("Secret");
    expect(problemsOf(turn)).toEqual([]);
  });

  test("that fails ends the turn, and nothing of the reply is shown", async () => {
    const turn = await runToEnd({
      provider: scriptedProvider([reply(say("Who knows"), usage({ inputTokens: 7 }))]),
      guards: {
        output: () => {
          throw new Error("no network");
        },
      },
    });

    expect(turn).toMatchObject({
      finishReason: "error",
      error: { code: "callback_failed", message: "guards.output failed: no network" },
      messages: [],
      usage: { inputTokens: 7 },
    });
    expect(JSON.stringify(turn.events)).not.toContain("Who knows");
    expect(problemsOf(turn)).toEqual([]);
  });

  test("is not asked about a reply that an abort cut off: nothing of it is kept", async () => {
    const controller = new AbortController();
    const provider: ProviderContract = {
      id: "cut",
      async *stream() {
        yield { type: "text_delta", delta: "The sec" };
        controller.abort();
        yield { type: "text_delta", delta: "ret" };
      },
    };

    const turn = await runToEnd({
      provider,
      signal: controller.signal,
      guards: { output: () => undefined },
    });

    expect(turn).toMatchObject({ finishReason: "aborted", messages: [] });
    expect(JSON.stringify(turn.events)).not.toContain("The sec");
    expect(problemsOf(turn)).toEqual([]);
  });

  test.each<[value: unknown]>([["no"], [true], [{ because: "no" }]])(
    "whose verdict is %o fails the turn",
    async (value) => {
      const turn = await runToEnd({
        provider: scriptedProvider([say("Hi")]),
        // Untyped code may return anything.
        guards: { output: () => value as never },
      });

      expect(turn).toMatchObject({ finishReason: "error", error: { code: "callback_failed" } });
    },
  );
});

describe("an incremental output guard", () => {
  const words = Array.from({ length: 400 }, (_, index) => `word${index} `);
  const script = () => scriptedProvider([reply(...words.map((word) => say(word)))]);

  test("lets text through while it streams, and judges it a bounded number of times", async () => {
    const judged: ReplyToJudge[] = [];
    const seen: number[] = [];
    let shown = 0;

    const turn = await runToEnd({
      provider: script(),
      emit: ({ type }) => {
        if (type === "text_delta") shown++;
      },
      guards: {
        isIncremental: true,
        output: (so) => {
          judged.push(so);
          seen.push(shown);
          return undefined;
        },
      },
    });

    expect(turn.recorder.text()).toBe(words.join(""));
    expect(seen.at(-1)).toBeGreaterThan(350);
    expect(judged.length).toBeLessThan(150);
    expect(judged.at(-1)?.message).toBeDefined();
    expect(problemsOf(turn)).toEqual([]);
  });

  test.each([["at once"], ["later"]])("that rejects %s takes back what was shown", async (when) => {
    const turn = await runToEnd({
      provider: script(),
      guards: {
        isIncremental: true,
        output: ({ text }) => {
          const verdict = text.includes("word300") ? { reason: "Too far" } : undefined;
          return when === "later" ? Promise.resolve(verdict) : verdict;
        },
      },
    });

    expect(turn).toMatchObject({ finishReason: "error", error: { code: "output_rejected" } });
    expect(turn.messages).toEqual([]);
    expect(turn.recorder.text()).toBe("");
    expect(JSON.stringify(turn.events)).not.toContain("word300");
    expect(problemsOf(turn)).toEqual([]);
  });

  test("keeps the text that it has passed when the turn is aborted", async () => {
    const controller = new AbortController();
    const turn = await runToEnd({
      provider: scriptedProvider([reply(say("Passed. "), say("Judged at the abort"), stall())]),
      signal: controller.signal,
      guards: { isIncremental: true, output: () => undefined },
      emit: (event) => {
        if (event.type === "text_delta" && event.delta.includes("Judged")) controller.abort();
      },
    });

    expect(turn).toMatchObject({ finishReason: "aborted" });
    expect(turn.messages[0]).toMatchObject({
      role: "assistant",
      content: [{ type: "text", text: turn.recorder.text() }],
    });
    expect(problemsOf(turn)).toEqual([]);
  });
});
