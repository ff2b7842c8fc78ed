/** Runs a scenario with its faults until everything is at rest, and reports violations. */
import { checkAcknowledged } from "./check-acknowledged.ts";
import { checkAsking } from "./check-asking.ts";
import { checkBlobs } from "./check-blobs.ts";
import { checkBudgets } from "./check-budgets.ts";
import { checkChildren } from "./check-children.ts";
import { checkCompactions } from "./check-compactions.ts";
import { checkEffects } from "./check-effects.ts";
import { checkForks } from "./check-forks.ts";
import { checkGuards } from "./check-guards.ts";
import { checkHistory } from "./check-history.ts";
import { checkRewinds } from "./check-rewinds.ts";
import { checkIncarnations } from "./check-incarnations.ts";
import { checkLog } from "./check-log.ts";
import { checkPosts } from "./check-posts.ts";
import { checkReaders } from "./check-readers.ts";
import { checkRequests } from "./check-requests.ts";
import { checkRest } from "./check-rest.ts";
import { Client } from "./client.ts";
import type { CrashReport, CrashRun } from "./crash-run.ts";
import { differenceOf, finalStateOf } from "./final-state.ts";
import type { FinalState } from "./final-state.ts";
import { Reader } from "./reader.ts";
import { crashDefaults } from "./scenario.ts";
import type { AlterHost } from "./simulated-host.ts";
import { Hosts } from "./simulated-host.ts";
import type { WatchedSession } from "./watched-session.ts";
import type { CreateStore } from "./world.ts";
import { World } from "./world.ts";

/** Options of `runCrash`. */
export interface CrashOptions {
  /** Default one in memory. A store that returns promises needs the mode `async`. */
  readonly createStore?: CreateStore;
  /** Makes hosts misbehave: to show that a run detects it. */
  readonly alterHost?: AlterHost;
  /** Final state of the same scenario without faults: this run must reach the same state, unless it may differ. */
  readonly expected?: FinalState;
}

/** Longer than any scenario takes. */
const maxSimulatedMs = 90_000;
const maxSteps = 20_000;

/** Runs a scenario in simulated time, injects its faults, and checks the guarantees. */
export async function runCrash(run: CrashRun, options: CrashOptions = {}): Promise<CrashReport> {
  const world = new World(run, options.createStore);
  const hosts = new Hosts(world, options.alterHost);
  const client = new Client(world, hosts);
  const names = run.scenario.readers ?? [crashDefaults.hosts[0].name];
  const readers = names.map((on, index) => {
    const onEvent: Client["onEvent"] = (event, session) => {
      if (index === 0) client.onEvent(event, session);
    };
    return new Reader({ world, hosts, on, isFirst: index === 0, onEvent });
  });
  for (const reader of readers) reader.follow();
  const isAtRest = await comeToRest(world, hosts, client, readers);
  if (isAtRest) {
    await stayAtRest(world);
    for (const session of world.sessions) await checkRest(world, session);
    compare(world, options.expected);
  }
  check(world, readers);
  for (const session of world.sessions) await checkBlobs(world, session);
  hosts.end();
  const { points, moments, hits, main } = world;
  const final = finalStateOf(world);
  const { all: violations } = world.violations;
  return { violations, points, moments: moments.list, hits, log: main.stored, final };
}

function check(world: World, readers: readonly Reader[]): void {
  for (const session of world.sessions) {
    checkLog(session);
    checkAcknowledged(session);
    checkPosts(world, session);
    checkHistory(session);
    checkRewinds(session);
    checkCompactions(world, session);
    checkRequests(world, session);
  }
  for (const session of world.replaced) {
    checkAcknowledged(session);
    checkRequests(world, session);
  }
  checkEffects(world);
  checkChildren(world);
  checkBudgets(world);
  checkAsking(world);
  checkGuards(world, readers);
  checkIncarnations(world, readers);
  checkForks(world);
  checkReaders(world, readers);
}

async function comeToRest(
  world: World,
  hosts: Hosts,
  client: Client,
  readers: readonly Reader[],
): Promise<boolean> {
  const { clock, scheduler, violations } = world;
  const endsAt = clock.now() + maxSimulatedMs;
  for (let step = 0; step < maxSteps && clock.now() < endsAt; step += 1) {
    await scheduler.settle();
    if (world.isHopeless) return false;
    world.moments.separate();
    if (scheduler.deliverOne() || client.step()) continue;
    await world.look();
    if (world.isLogAtRest) {
      if (hosts.serveAtRest()) continue;
      const isIdle =
        client.busyWith.length === 0 && readers.every((reader) => isCaughtUp(world, reader));
      if (isIdle && !client.stepAtRest()) return true;
      if (isIdle) continue;
      // A client that waits for the end of a suspended turn continues only once it is answered.
      if (client.answerAtRest()) continue;
    }
    clock.fireNext();
  }
  violations.add("stuck", describeState(world, client, readers));
  return false;
}

function isCaughtUp({ main }: World, reader: Reader): boolean {
  return reader.factsOf(main) >= main.events.length;
}

function describeState(world: World, client: Client, readers: readonly Reader[]): string {
  const { fold, events } = world.main;
  const actions = world.sessions.map(({ id, fold }) => {
    return `next action of ${id} ${JSON.stringify(fold.nextAction(world.clock.now()))}`;
  });
  const lagging = readers
    .filter((reader) => !isCaughtUp(world, reader))
    .map(
      (reader) =>
        `reader ${reader.name} saw ${reader.factsOf(world.main)} of ${events.length} facts`,
    );
  const parts = [...actions, ...client.busyWith, ...lagging];
  return `it never came to rest: status ${fold.status}, ${parts.join("; ")}`;
}

/** Checks that nothing more happens while an absent process could still return, and that no host claims the session afterwards. */
async function stayAtRest(world: World): Promise<void> {
  const { violations, leaseMs, pollMs, scenario } = world;
  const { restartMs = crashDefaults.restartMs } = scenario;
  world.isCounting = false;
  const { length } = world;
  await pass(world, leaseMs + 2 * pollMs + restartMs + longestPause(world));
  const { claims } = world;
  await pass(world, 2 * pollMs);
  await world.look();
  if (world.claims > claims) violations.add("rest", "hosts claim a session repeatedly");
  if (world.length > length) violations.add("rest", "something was written at rest");
}

async function pass({ clock, scheduler }: World, ms: number): Promise<void> {
  const endsAt = clock.now() + ms;
  while (clock.now() < endsAt) {
    await scheduler.settle();
    if (!scheduler.deliverOne()) clock.fireNext();
  }
  await scheduler.settle();
}

/** Includes the lease that a process gets when it wakes up, and finds expired by its own clock. */
function longestPause({ run, scenario, pauseMs, leaseMs }: World): number {
  const pauses = scenario.actions.map((action) => (action.do === "pause" ? action.ms : 0));
  const isPaused = run.faults.some((fault) => fault.do === "pause");
  const longest = Math.max(isPaused ? pauseMs : 0, ...pauses);
  return longest === 0 ? 0 : longest + leaseMs;
}

function compare(world: World, expected: FinalState | undefined): void {
  const { scenario, violations } = world;
  if (expected === undefined || scenario.mayDiffer !== undefined) return;
  if (
    isUnknown(world.main) ||
    world.sessions.some((session) => isChild(session) && isUnknown(session))
  ) {
    return;
  }
  const forksMayDiffer =
    scenario.forksMayDiffer !== undefined || [...world.forks.values()].some(isUnknown);
  const difference = differenceOf(expected, finalStateOf(world), forksMayDiffer);
  if (difference !== undefined) violations.add("final-state", difference);
}

function isChild({ fold }: WatchedSession): boolean {
  return fold.created?.parent !== undefined;
}

/** True if the model was told of a call that may have run, and must not run twice. */
function isUnknown({ entries }: WatchedSession): boolean {
  return entries.some((entry) => {
    if (entry.type !== "tool_result") return false;
    const { output } = entry.result;
    return typeof output === "string" && output.includes("outcome is unknown");
  });
}
