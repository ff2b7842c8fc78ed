/** Logs as they were at the points of a crash, imported and restored elsewhere. */
import type { SessionSnapshot } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import type { ProviderContract, ToolContract } from "@capstan/kernel";
import type { SessionRepository, StoredEntry } from "@capstan/log";
import { foldEntries, memoryRepository, parseEntry } from "@capstan/log";
import type { CrashFault, CrashScenario, CreateStore } from "@capstan/testing/crash";
import { echoTool, manualClock, remoteTool } from "@capstan/testing";
import { crashScenarios, runCrash } from "@capstan/testing/crash";
import { expect, test } from "vitest";

const names = [
  "parallel tools",
  "approvals",
  "approvals among parallel calls",
  "remote answers late",
  "answers among local calls",
  "a decision just in time",
  "steering",
  "several turns",
  "configured in mid-turn",
  "two hosts competing",
];
const scenarios = crashScenarios.filter(({ name }) => names.includes(name));

/** A store that notes the log of the session after every write: whatever crashes then leaves this. */
function noting(logs: Map<string, readonly StoredEntry[]>): CreateStore {
  return (options) => {
    const store = memoryRepository(options);
    const noted =
      <Args extends unknown[], Result>(write: (...args: Args) => Result) =>
      (...args: Args): Result => {
        const result = write(...args);
        const { entries } = store.read("s1");
        logs.set(entries.map(({ id, type }) => `${id} ${type}`).join(), [...entries]);
        return result;
      };
    return {
      ...store,
      create: noted(store.create),
      append: noted(store.append),
      post: noted(store.post),
    };
  };
}

/** Logs of a run without a fault, and of some in which a process is killed. */
async function logsOf(scenario: CrashScenario): Promise<readonly (readonly StoredEntry[])[]> {
  const logs = new Map<string, readonly StoredEntry[]>();
  const createStore = noting(logs);
  const { points } = await runCrash({ scenario, mode: "async", faults: [] }, { createStore });
  for (const { process, point } of points.filter((_, index) => index % 12 === 5)) {
    const fault: CrashFault = { process, point, side: "after", do: "kill" };
    await runCrash({ scenario, mode: "async", faults: [fault] }, { createStore });
  }
  return [...logs.values()];
}

/** A host that notes whatever is reached of its agent, at the time of the crash. */
function createTrap(entries: readonly StoredEntry[]) {
  const reached: string[] = [];
  const clock = manualClock(entries.at(-1)?.at ?? 0);
  const repository: SessionRepository = memoryRepository({ now: clock.now });
  const model: ProviderContract = {
    id: "scripted",
    contextWindow: 200_000,
    async *stream() {
      reached.push("model");
      yield { type: "finish", reason: "stop" };
    },
  };
  const local = (name: string, more: Partial<ToolContract> = {}): ToolContract => ({
    ...echoTool({ name }),
    ...more,
    execute: (_, { toolCallId }) => {
      reached.push(`${name} ${toolCallId}`);
      return "done";
    },
  });
  const tools = [
    local("pure", { effect: "pure" }),
    local("idempotent", { effect: "idempotent" }),
    local("once"),
    local("checked", { reconcile: () => ({ outcome: "not-run" }) }),
    local("alone", { execution: "sequential" }),
    local("guarded", { needsApproval: true }),
    local("hurried", { needsApproval: true, answerWithinMs: 2_000 }),
    remoteTool(),
    remoteTool({ name: "ignored", answerWithinMs: 2_000 }),
  ];
  const agent = createAgent({ name: "helper", model, tools, compaction: false });
  const host = createHost({ agents: [agent], repository, clock, onError: () => {} });
  return { reached, clock, repository, host };
}

function toState(entries: readonly StoredEntry[]): SessionSnapshot {
  const base = { version: 1, id: "s1", agent: "helper", createdAt: 0, updatedAt: 0 } as const;
  return { ...base, status: "idle", messages: [], pendingToolCalls: [], usage: {}, entries };
}

/** Calls that had begun, and of which no result is recorded. */
function startedIn(stored: readonly StoredEntry[]): readonly string[] {
  const entries = stored.map((entry) => parseEntry(entry)).filter((entry) => entry !== undefined);
  const idsOf = (type: "tool_intent" | "tool_result"): string[] =>
    entries.flatMap((entry) => (entry.type === type ? [entry.toolCallId] : []));
  const results = new Set(idsOf("tool_result"));
  return idsOf("tool_intent").filter((id) => !results.has(id));
}

test.each(scenarios)("$name: an import of what any crash left runs nothing", async (scenario) => {
  const logs = await logsOf(scenario);
  for (const entries of logs) {
    const trap = createTrap(entries);

    await trap.host.restore(toState(entries));
    await trap.clock.advance(5_000);

    expect(trap.reached).toEqual([]);
    await trap.host.close();
  }
  expect(logs.length).toBeGreaterThan(5);
});

test.each(scenarios)(
  "$name: what any crash left is restored as one's own, and its calls are asked again",
  async (scenario) => {
    for (const entries of await logsOf(scenario)) {
      const trap = createTrap(entries);
      const before = foldEntries(entries).pending;
      const started = startedIn(entries);

      await trap.host.restore(toState(entries), { trust: "own" });
      const { pending } = foldEntries((await trap.repository.read("s1")).entries);
      await trap.clock.advance(5_000);

      const hashes = new Set(before.map(({ hash }) => hash));
      const asked = pending.map(({ toolCallId }) => toolCallId);
      expect(asked).toEqual(expect.arrayContaining(before.map(({ toolCallId }) => toolCallId)));
      expect(pending.filter(({ hash }) => hashes.has(hash))).toEqual([]);
      expect(trap.reached.filter((name) => /^(guarded|hurried)/.test(name))).toEqual([]);
      expect(trap.reached.filter((name) => started.includes(name.split(" ")[1] ?? ""))).toEqual([]);
      await trap.host.close();
    }
  },
);
