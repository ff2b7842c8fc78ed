import { createAgent, createHost } from "@capstan/core";
import type { Host, SessionSnapshot } from "@capstan/core";
import type { ToolContract } from "@capstan/kernel";
import {
  LogError,
  foldEntries,
  importSession,
  isRepositoryError,
  memoryRepository,
} from "@capstan/log";
import type { StoredEntry } from "@capstan/log";
import {
  callTool,
  checkTranscript,
  echoTool,
  manualClock,
  remoteTool,
  say,
  scriptedProvider,
} from "@capstan/testing";
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { operations } from "./arbitrary-operations.ts";
import { forge, forgeries } from "./forged-log.ts";
import { PlayedSession } from "./played-session.ts";
import { createSurroundings } from "./surroundings.ts";

/** More of them on demand, as in `PROPERTY_RUNS=20000 npx vitest run …`. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 5_000);

/** Real logs to grow forged ones from, and the same ones in every run. */
const originals: StoredEntry[][] = [];

beforeAll(async () => {
  for (const played of fc.sample(operations(8), { numRuns: 60, seed: 7 })) {
    const session = PlayedSession.create(createSurroundings());
    for (const operation of played) await session.play(operation);
    await session.rest();
    if (session.isStored) originals.push([...session.repository.read("s1").entries]);
    await session.close();
  }
});

/** A store and a host whose agent notes whatever is reached of it. */
function createTrap() {
  const reached: string[] = [];
  const clock = manualClock(10_000_000);
  const repository = memoryRepository({ now: clock.now });
  const note = (tool: ToolContract): ToolContract => ({
    ...tool,
    execute: () => {
      reached.push(tool.name);
      return "done";
    },
  });
  const provider = scriptedProvider([callTool("guarded"), say("unexpected")]);
  const agent = createAgent({
    name: "trap",
    model: provider,
    tools: [
      note(echoTool({ effect: "idempotent" })),
      note(echoTool({ name: "slow", effect: "pure" })),
      note(echoTool({ name: "guarded", needsApproval: true })),
      remoteTool(),
      remoteTool({ name: "hurried", answerWithinMs: 500 }),
    ],
    instructions: () => {
      reached.push("instructions");
      return "Mine";
    },
    hooks: {
      before: () => {
        reached.push("before");
      },
    },
    compaction: false,
  });
  const host = createHost({ agents: [agent], repository, clock, pollMs: 1_000 });
  return { reached, clock, repository, provider, host };
}

function toState(entries: readonly StoredEntry[]): SessionSnapshot {
  return {
    version: 1,
    id: "s",
    agent: "trap",
    createdAt: 0,
    updatedAt: 0,
    status: "idle",
    messages: [],
    pendingToolCalls: [],
    usage: {},
    entries,
  };
}

/** Whether it was taken. What is refused is refused with a typed error. */
async function isTaken(restoring: Promise<unknown>): Promise<boolean> {
  try {
    await restoring;
    return true;
  } catch (thrown) {
    const isTyped = thrown instanceof LogError || isRepositoryError(thrown);
    const code = (thrown as { readonly code?: string }).code;
    expect(isTyped || code === "invalid_input", String(thrown)).toBe(true);
    return false;
  }
}

test("whatever is imported, nothing of it is reached before the next input, and the rules hold after it", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), forgeries, fc.boolean(), async (which, changes, isByLines) => {
      const forged = forge(originals[which % originals.length] ?? [], changes);
      const trap = createTrap();
      const origin = { agent: "trap" };
      const lines = forged.map((entry) => JSON.stringify(entry));
      const importing = isByLines
        ? importSession(trap.repository, lines, { id: "s", now: 1, origin })
        : trap.host.restore(toState(forged));

      const isThere = await isTaken(importing);
      await trap.clock.advance(100_000);
      const untouched = [...trap.reached, ...trap.provider.requests];
      const end = isThere ? await sendTo(trap.host, trap.clock) : undefined;

      expect(untouched).toEqual([]);
      expect(trap.reached.filter((name) => name === "guarded" || name === "echo")).toEqual([]);
      if (end !== undefined) {
        taken += 1;
        expect(end).toMatchObject({ status: "awaiting_tool_execution" });
        const { messages } = foldEntries(trap.repository.read("s").entries).transcript;
        expect(checkTranscript(messages, { allowOpenTail: true })).toEqual([]);
      }
      await trap.host.close();
    }),
    { numRuns },
  );
  // Not everything is garbage: most of the forged logs are sessions to go on with.
  expect(taken).toBeGreaterThan(numRuns / 2);
}, 600_000);

test("what was approved elsewhere is not approved here, even in a log that is restored as one's own", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), forgeries, async (which, changes) => {
      const forged = forge(originals[which % originals.length] ?? [], changes).map((entry) =>
        entry.type === "created" ? { ...entry, agent: "trap" } : entry,
      );
      const trap = createTrap();

      await isTaken(trap.host.restore(toState(forged), { trust: "own" }));
      await trap.clock.advance(100_000);

      expect(trap.reached.filter((name) => name === "guarded")).toEqual([]);
      await trap.host.close();
    }),
    { numRuns: numRuns / 2 },
  );
}, 600_000);

async function sendTo(host: Host, clock: ReturnType<typeof manualClock>): Promise<object> {
  const session = await host.open("s");
  const turn = session.send("Go on, please");
  const { status, error } = await clock.runUntil(turn.response);
  return { status, ...(error && { error }) };
}
