import type { ChatMessage } from "@capstan/kernel";
import { assertValidTranscript } from "@capstan/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Operation } from "./arbitrary-operations.ts";
import { operations } from "./arbitrary-operations.ts";
import { PlayedSession } from "./played-session.ts";
import type { Surroundings } from "./surroundings.ts";
import { createSurroundings, isLoaded } from "./surroundings.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);

test("a fork at any message begins with whole steps and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(operations(10), fc.nat({ max: 12 }), async (before, place) => {
      const { original, past } = await playedBefore(before);
      const at = past[place];

      const fork = await original.forked(at?.id);

      if (fork === undefined) return expectUnfinished(past, place);
      const begun = fork.session.messages;
      expect(past.slice(0, begun.length)).toEqual(begun);
      expect(begun.length).toBeGreaterThan(at === undefined ? -1 : place);
      expect(begun.length).toBeLessThanOrEqual(startOfNextStep(past, place));
      expect(past[begun.length]?.role).not.toBe("tool");
      assertValidTranscript(begun);
      const { queued, pendingToolCalls, usage, status } = fork.session;
      expect({ queued, pendingToolCalls, usage }).toEqual({
        queued: [],
        pendingToolCalls: [],
        usage: {},
      });
      expect(["idle", "completed", "error"]).toContain(status);
      expect(fork.stored()).toEqual(fork.live());
    }),
    { numRuns },
  );
}, 600_000);

test("a fork and its original go on side by side, and neither hears of the other", async () => {
  await fc.assert(
    fc.asyncProperty(
      operations(8),
      fc.array(fc.tuple(fc.boolean(), operations(1)), { maxLength: 10 }),
      async (before, rest) => {
        const { original, past, surroundings } = await playedBefore(before);
        const fork = await original.forked(undefined);
        if (fork === undefined) throw new Error("A fork at the end is always possible");
        const begun = fork.session.messages;
        const forkedAt = surroundings.provider.requests.length;

        for (const [isFork, [operation]] of rest) {
          if (operation !== undefined) await (isFork ? fork : original).play(operation);
        }
        await original.rest();
        await fork.rest();

        const here = idsShownTo(original, surroundings, forkedAt);
        const there = idsShownTo(fork, surroundings, forkedAt);
        // A summary has the id of the last message that it stands for.
        const common = new Set(begun.flatMap(({ id }) => [id, `${id}_summary`]));
        expect([...there].filter((id) => here.has(id) && !common.has(id))).toEqual([]);
        expect(past.filter(({ id }) => there.has(id) && !common.has(id))).toEqual([]);
        expect(fork.stored()).toEqual(fork.live());
        expect(original.stored()).toEqual(original.live());
      },
    ),
    { numRuns },
  );
}, 600_000);

async function playedBefore(before: readonly Operation[]): Promise<{
  readonly surroundings: Surroundings;
  readonly original: PlayedSession;
  readonly past: readonly ChatMessage[];
}> {
  const surroundings = createSurroundings();
  const original = PlayedSession.create(surroundings);
  await original.play({ do: "send", text: "echo", options: {} });
  for (const operation of before) await original.play(operation);
  return { surroundings, original, past: original.session.messages };
}

/** What was loaded was loaded at once. */
function startOfNextStep(past: readonly ChatMessage[], place: number): number {
  const next = past.findIndex(
    ({ role, id }, index) => index > place && role === "assistant" && !isLoaded(id),
  );
  return next === -1 ? past.length : next;
}

/** Only the last reply may have calls without a result. */
function expectUnfinished(past: readonly ChatMessage[], place: number): void {
  expect(place).toBe(past.length - 1);
  expect(past[place]?.role).toBe("assistant");
}

/** Of the messages that are in the session, or that a model was shown in its name. */
function idsShownTo(
  { session }: PlayedSession,
  { provider }: Surroundings,
  from: number,
): ReadonlySet<string> {
  const requests = provider.requests
    .slice(from)
    .filter(({ conversationId }) => conversationId === session.id);
  const messages = [...session.messages, ...requests.flatMap((request) => request.messages)];
  return new Set(messages.map(({ id }) => id));
}
