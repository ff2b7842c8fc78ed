/** Generates a run from a seed: everything mixed, the same for the same seed. */
import type { CrashFault, CrashRun } from "./crash-run.ts";
import { randomActions } from "./random-actions.ts";
import { withSecondAge } from "./random-ages.ts";
import { Random } from "./random.ts";
import type {
  ClientAction,
  CrashHost,
  CrashScenario,
  CrashToolName,
  ScriptedCall,
  ScriptedStep,
} from "./scenario.ts";

const toolNames: readonly [CrashToolName, ...CrashToolName[]] = [
  "pure",
  "idempotent",
  "once",
  "checked",
  "alone",
  "guarded",
  "hurried",
  "remote",
  "suspending",
  "calling",
  "remote",
  "ignored",
];

/** Returns a scenario with everything mixed. */
export function crashScenario(seed: number): CrashScenario {
  const random = new Random(seed);
  const hosts = hostsOf(random);
  const spoken = randomActions(random, hosts);
  const outputs = new Random(seed + 0x1040);
  const spare = {
    Go: withLongOutputs(outputs, stepsOf(random)),
    Again: withLongOutputs(outputs, stepsOf(random)),
  };
  const { compactions, ...room } = roomOf(new Random(seed + 0x2050));
  const script = room.contextWindow === undefined ? spare : verbose(spare);
  const actions = [...spoken, ...compactions];
  const mayDiffer =
    // A message that settles what is pending may come before the answers, or after them.
    actions.some((action) => action.do !== "send" || action.ifPending === "settle") ||
    uses(script, "hurried") ||
    uses(script, "long");
  const scenario: CrashScenario = {
    name: `seed ${seed}`,
    script,
    actions,
    answers: random.pick(["early", "late", "late", "one-by-one"]),
    approves: random.chance(0.8),
    ...(random.chance(0.3) && { instructions: "asked" }),
    ...room,
    hosts,
    readers: hosts.filter((_, index) => index === 0 || random.chance(0.5)).map(({ name }) => name),
    leaseMs: random.pick([1_000, 3_000]),
    pollMs: random.pick([300, 1_000]),
    restartMs: random.pick([0, 200, 5_000]),
    returns: random.pick(["at once", "at rest"]),
    ...(mayDiffer && { mayDiffer: "actions may come at another time" }),
  };
  const ages = new Random(seed + 0x3060);
  // A fork would be a copy of either.
  if (actions.some((action) => action.do === "fork") || !ages.chance(0.2)) return scenario;
  return withSecondAge(ages, scenario, stepsOf(ages));
}

/** Returns the scenario of this seed, with faults, and with the store's answers in random order. */
export function randomCrashRun(seed: number): CrashRun {
  const scenario = crashScenario(seed);
  const random = new Random(seed + 0x5eed);
  const mode = random.pick(["sync", "async"]);
  const faults = Array.from({ length: 1 + random.below(3) }, () => faultOf(random, scenario));
  return { scenario, mode, faults, ...(mode === "async" && { order: seed }) };
}

function hostsOf(random: Random): readonly CrashHost[] {
  const names = ["A", "B", "C"].slice(0, random.pick([1, 1, 2, 3]));
  return names.map((name, index) => ({ name, polls: index === 0 || random.chance(0.7) }));
}

/**
 * Whether a call is answered in time depends on when its process restarts, and whether an output is stored depends on whether the store is
 * available at that moment.
 */
function uses(script: CrashScenario["script"], name: CrashToolName): boolean {
  const steps = Object.values(script).flat();
  return steps.some(({ calls = [] }) => calls.some(({ tool }) => tool === name));
}

/** Makes half of the repeatable calls return long outputs. Uses its own random source: everything else in a seed stays unchanged. */
function withLongOutputs(random: Random, steps: readonly ScriptedStep[]): readonly ScriptedStep[] {
  return steps.map(({ calls = [], ...step }) => ({
    ...step,
    calls: calls.map((call) =>
      call.tool === "pure" && random.chance(0.5) ? { ...call, tool: "long" } : call,
    ),
  }));
}

/** Half of the models have a small context window, and some clients request a summary. */
function roomOf(random: Random): Pick<
  CrashScenario,
  "contextWindow" | "keepRecentSteps" | "summary"
> & {
  readonly compactions: readonly ClientAction[];
} {
  const isNarrow = random.chance(0.5);
  const contextWindow = random.pick([1_500, 2_000, 3_000]);
  const summary = {
    ...(random.chance(0.3) && { ms: random.pick([100, 700]) }),
    ...(random.chance(0.3) && { failures: 1 }),
    ...(random.chance(0.15) && { isBroken: true }),
  };
  const keepRecentSteps = random.below(3);
  const compactions: ClientAction[] = [];
  if (random.chance(0.25)) compactions.push({ when: "rest", do: "compact", id: "k1" });
  if (random.chance(0.25)) {
    const event = random.pick(["tool_execution_start", "compaction_start", "turn_end"]);
    compactions.push({ when: { event }, do: "compact", id: "k2", directives: "Short." });
  }
  return { ...(isNarrow && { contextWindow, keepRecentSteps }), summary, compactions };
}

/** Makes steps so long that few of them fit. */
function verbose(script: CrashScenario["script"]): CrashScenario["script"] {
  const say = "A long story. ".repeat(70);
  return Object.fromEntries(
    Object.entries(script).map(([key, steps]) => [key, steps.map((step) => ({ ...step, say }))]),
  );
}

function stepsOf(random: Random): readonly ScriptedStep[] {
  return Array.from({ length: random.below(4) }, () => ({
    ...(random.chance(0.3) && { failures: 1 + random.below(2) }),
    ...(random.chance(0.3) && { ms: random.pick([100, 700]) }),
    calls: Array.from({ length: 1 + random.below(4) }, () => callOf(random)),
  }));
}

function callOf(random: Random): ScriptedCall {
  const tool = random.pick(toolNames);
  return {
    tool,
    ...(random.chance(0.4) && { ms: random.pick([50, 400, 1_500]) }),
    // Reconciliation reports a call as done, and knows no failures.
    ...(tool !== "checked" && random.chance(0.1) && { fails: true }),
  };
}

function faultOf(random: Random, { hosts = [] }: CrashScenario): CrashFault {
  const { name = "A", polls = true } = hosts[random.below(hosts.length)] ?? {};
  const action = random.pick(["kill", "kill", "kill", "pause", "fail"]);
  return {
    process: random.pick([name, name, `${name}2`, `${name}3`]),
    point: 1 + random.below(random.pick([40, 120])),
    side: random.pick(["before", "after"]),
    // A host that never polls does not find out what it missed.
    do: action === "fail" && !polls ? "kill" : action,
  };
}
