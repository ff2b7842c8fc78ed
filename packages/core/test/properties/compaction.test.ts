import type { CompactionOptions, Session } from "@capstan/core";
import type { ChatMessage, ProviderRequest } from "@capstan/kernel";
import { toModelMessages } from "@capstan/kernel";
import type { Entry } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import type { ScriptItem } from "@capstan/testing";
import {
  callTool,
  checkTranscript,
  echoTool,
  failBefore,
  finish,
  reply,
  say,
  scriptedProvider,
  usage,
} from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ContextProjection } from "../../src/context/projection.ts";
import type { World } from "../world.ts";
import { createWorld } from "../world.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 150);

interface Plan {
  /** What is sent, one after another: how long it is, and how much each step of the turn gets from its tools. */
  readonly sends: readonly { readonly chars: number; readonly outputs: readonly number[][] }[];
  /** Before which of them somebody asks for a compaction. */
  readonly compacts: readonly boolean[];
  readonly contextWindow: number;
  readonly compaction: CompactionOptions;
  readonly summaries: readonly ("short" | "long" | "cut" | "fail" | "none")[];
  readonly isReported: boolean;
  readonly maxTotalChars: number;
}

const anyPlan: fc.Arbitrary<Plan> = fc.record({
  sends: fc.array(
    fc.record({
      chars: fc.constantFrom(5, 500, 4_000, 30_000),
      outputs: fc.array(fc.array(fc.constantFrom(5, 800, 6_000), { minLength: 1, maxLength: 3 }), {
        maxLength: 4,
      }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  compacts: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  contextWindow: fc.constantFrom(1_500, 3_000, 8_000),
  compaction: fc.record(
    {
      keepRecentSteps: fc.nat({ max: 2 }),
      thresholdRatio: fc.constantFrom(0.3, 0.8, 1),
      reserveTokens: fc.constantFrom(0, 500),
      minFreedShare: fc.constantFrom(0, 0.2, 0.9),
      auto: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  summaries: fc.array(fc.constantFrom("short", "short", "long", "cut", "fail", "none"), {
    minLength: 1,
    maxLength: 5,
  }),
  isReported: fc.boolean(),
  maxTotalChars: fc.constantFrom(3_000, 100_000),
});

/** What a provider would count: it refuses what is more than its window. */
function tokensOf({ messages }: Pick<ProviderRequest, "messages">): number {
  return Math.ceil(JSON.stringify(messages).length / 4);
}

async function play(plan: Plan): Promise<{ readonly world: World; readonly session: Session }> {
  let asked = 0;
  const replyTo = (request: ProviderRequest): ScriptItem => {
    const tokens = tokensOf(request);
    if (tokens > plan.contextWindow) return failBefore("context_overflow");
    const counts = plan.isReported ? [usage({ inputTokens: tokens, outputTokens: 20 })] : [];
    if (request.toolChoice !== "none") return reply(...nextStep(plan, request), ...counts);
    switch (plan.summaries[asked++ % plan.summaries.length]) {
      case "short":
        return reply(say("In short."), ...counts);
      case "long":
        return reply(say("At length. ".repeat(300)), ...counts);
      case "cut":
        return reply(say("In sho"), ...counts, finish("length"));
      case "fail":
        return failBefore("invalid_request");
      default:
        return reply(...counts, finish("stop"));
    }
  };
  const provider = scriptedProvider(
    Array.from({ length: 300 }, () => replyTo),
    {
      contextWindow: plan.contextWindow,
    },
  );
  const chars = { maxChars: 50_000, maxTotalChars: plan.maxTotalChars, readTool: false };
  const world = createWorld([], [echoTool()], {
    model: provider,
    compaction: plan.compaction,
    outputs: chars,
  });
  const session = world.host().createSession({ agent: "helper", id: "s1" });
  for (const [place, send] of plan.sends.entries()) {
    // Refused if there is nothing to summarize.
    if (plan.compacts[place] === true) await session.compact().catch(() => {});
    await session.send(`${place}:${"x".repeat(send.chars)}`).response;
  }
  await session.waitForIdle();
  return { world: { ...world, provider }, session };
}

/** The one that the messages have come to, as far as they tell. */
function nextStep({ sends }: Plan, { turnId, step, messages }: ProviderRequest): ScriptItem[] {
  const said = messages.flatMap(({ role, content = "" }: { role: string; content?: unknown }) =>
    role === "user" && typeof content === "string" ? [content] : [],
  );
  const last = said.findLast((text) => /^\d+:/.test(text));
  const place = last === undefined ? 0 : Number.parseInt(last, 10);
  const sizes = sends[place]?.outputs[step - 1] ?? [];
  const calls = sizes.map((size) => callTool("echo", { of: turnId, text: "y".repeat(size) }));
  return calls.length === 0 ? [say("Done.")] : calls;
}

test("whatever is said, every request is valid, follows from the log, and only grows unless an entry says why not", async () => {
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const { world, session } = await play(plan);

      const sent = world.provider.requests.filter(({ toolChoice }) => toolChoice !== "none");
      const expected = expectedRequests(world.entries(session.id));

      expect(world.provider.requests.flatMap(({ messages }) => checkTranscript(messages))).toEqual(
        [],
      );
      expect(sent.map(({ messages }) => messages)).toEqual(expected.map(({ shown }) => shown));
      for (const [place, { shown, isChanged }] of expected.entries()) {
        const before = expected[place - 1]?.shown ?? [];
        expect(isChanged || isPrefix(before, shown)).toBe(true);
      }
    }),
    { numRuns },
  );
}, 600_000);

test("a context fits or the turn ends as exhausted, and nothing is summarized twice for one request", async () => {
  await fc.assert(
    fc.asyncProperty(anyPlan, async (plan) => {
      const { world, session } = await play(plan);

      const entries = world.entries(session.id);
      const isAuto = plan.compaction.auto !== false;
      const ends = entries.filter((entry) => entry.type === "turn_ended");
      expect(ends.map(({ finishReason }) => finishReason)).toSatisfy((reasons: string[]) =>
        reasons.every(
          (reason) => reason === "stop" || reason === (isAuto ? "context-exhausted" : "error"),
        ),
      );
      expect(mostForOneRequest(entries)).toBeLessThanOrEqual(1);
      expect(session.usage).toEqual(await usageElsewhere(world));
    }),
    { numRuns },
  );
}, 600_000);

interface Expected {
  readonly shown: readonly ChatMessage[];
  /** Whether something was recorded that changes what was shown before. */
  readonly isChanged: boolean;
}

/** What each attempt was shown, by the entries before it. */
function expectedRequests(entries: readonly Entry[]): Expected[] {
  const fold = new SessionFold();
  const expected: Expected[] = [];
  let isChanged = false;
  for (const entry of entries) {
    if (entry.type === "attempt") {
      const history = fold.transcript.messages;
      const shown = new ContextProjection(fold.context).show({ history, input: [], added: [] });
      expected.push({ shown: toModelMessages(shown), isChanged });
      isChanged = false;
    }
    isChanged ||= entry.type === "eviction" || entry.type === "compaction";
    fold.apply(entry);
  }
  return expected;
}

function isPrefix(before: readonly ChatMessage[], after: readonly ChatMessage[]): boolean {
  return JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before);
}

/** Those that nobody asked for. */
function mostForOneRequest(entries: readonly Entry[]): number {
  let count = 0;
  let most = 0;
  for (const entry of entries) {
    if (entry.type === "message" || entry.type === "turn_started") count = 0;
    const isEnd =
      entry.type === "compaction" ||
      (entry.type === "compaction_failed" && entry.reason === "failed");
    if (isEnd && entry.requests === undefined) most = Math.max(most, ++count);
  }
  return most;
}

async function usageElsewhere(world: World): Promise<Session["usage"]> {
  return (await world.host().open("s1")).usage;
}
