/** A run that is made from a number: everything mixed, the same for the same number. */
import type { CrashFault, CrashRun } from "./crash-run.ts";
import { randomActions } from "./random-actions.ts";
import { Random } from "./random.ts";
import type {
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
  "remote",
  "ignored",
];

/** A scenario with everything mixed. */
export function crashScenario(seed: number): CrashScenario {
  const random = new Random(seed);
  const hosts = hostsOf(random);
  const actions = randomActions(random, hosts);
  const script = { Go: stepsOf(random), Again: stepsOf(random) };
  const mayDiffer = actions.some((action) => action.do !== "send") || hasDeadlines(script);
  return {
    name: `seed ${seed}`,
    script,
    actions,
    answers: random.pick(["early", "late", "late", "one-by-one"]),
    approves: random.chance(0.8),
    ...(random.chance(0.3) && { instructions: "asked" }),
    hosts,
    readers: hosts.filter((_, index) => index === 0 || random.chance(0.5)).map(({ name }) => name),
    leaseMs: random.pick([1_000, 3_000]),
    pollMs: random.pick([300, 1_000]),
    restartMs: random.pick([0, 200, 5_000]),
    returns: random.pick(["at once", "at rest"]),
    ...(mayDiffer && { mayDiffer: "actions may come at another time" }),
  };
}

/** The scenario of this seed, with faults, and with answers of the store in an order of their own. */
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

/** Whether a call is answered in time depends on when its process is there again. */
function hasDeadlines(script: CrashScenario["script"]): boolean {
  const steps = Object.values(script).flat();
  return steps.some(({ calls = [] }) => calls.some(({ tool }) => tool === "hurried"));
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
    // A tool that is asked what became of a call says how it ended, and knows of no failure.
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
    // A host that never looks by itself does not find out what it missed.
    do: action === "fail" && !polls ? "kill" : action,
  };
}
