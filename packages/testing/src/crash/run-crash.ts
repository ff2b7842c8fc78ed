/** Runs a scenario through its faults until everything is at rest, and says what was wrong. */
import type { ToolContent } from "@capstan/kernel";
import { checkAcknowledged } from "./check-acknowledged.ts";
import { checkEffects } from "./check-effects.ts";
import { checkLog } from "./check-log.ts";
import { checkReaders } from "./check-readers.ts";
import { checkRest } from "./check-rest.ts";
import { Client } from "./client.ts";
import type { CrashReport, CrashRun } from "./crash-run.ts";
import { differenceOf, finalStateOf } from "./final-state.ts";
import type { FinalState } from "./final-state.ts";
import { Reader } from "./reader.ts";
import { crashDefaults } from "./scenario.ts";
import { Hosts } from "./simulated-host.ts";
import type { CreateStore } from "./world.ts";
import { World } from "./world.ts";

export interface CrashOptions {
  /** Default one in memory. A store that answers with promises needs the mode `async`. */
  readonly createStore?: CreateStore;
  /** What the same scenario came to without faults: this run has to come to the same, unless it may differ. */
  readonly expected?: FinalState;
}

/** More than any scenario takes. */
const maxSimulatedMs = 90_000;
const maxSteps = 20_000;

export async function runCrash(run: CrashRun, options: CrashOptions = {}): Promise<CrashReport> {
  const world = new World(run, options.createStore);
  const hosts = new Hosts(world);
  const client = new Client(world, hosts);
  const names = run.scenario.readers ?? [crashDefaults.hosts[0].name];
  const readers = names.map((on, index) => {
    const onEvent: Client["onEvent"] = (event) => {
      if (index === 0) client.onEvent(event);
    };
    return new Reader({ world, hosts, on, isFirst: index === 0, onEvent });
  });
  for (const reader of readers) reader.follow();
  const isAtRest = await comeToRest(world, hosts, client, readers);
  if (isAtRest) {
    await stayAtRest(world);
    await checkRest(world);
    compare(world, options.expected);
  }
  checkLog(world);
  checkAcknowledged(world);
  checkEffects(world);
  checkReaders(world, readers);
  hosts.end();
  const { points, hits, stored: log } = world;
  return { violations: world.violations.all, points, hits, log, final: finalStateOf(world) };
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
    if (scheduler.deliverOne() || client.step()) continue;
    await world.look();
    if (world.isLogAtRest) {
      if (hosts.serveAtRest()) continue;
      const isIdle =
        client.busyWith.length === 0 && readers.every((reader) => isCaughtUp(world, reader));
      if (isIdle && !client.stepAtRest()) return true;
      if (isIdle) continue;
      // A client that waits for the end of a suspended turn goes on only if somebody answers.
      if (client.answerAtRest()) continue;
    }
    clock.fireNext();
  }
  violations.add("stuck", whereItStands(world, client, readers));
  return false;
}

function isCaughtUp({ events }: World, reader: Reader): boolean {
  return reader.facts >= events.length;
}

function whereItStands(world: World, client: Client, readers: readonly Reader[]): string {
  const { fold, clock, events } = world;
  const action = JSON.stringify(fold.nextAction(clock.now()));
  const behind = readers
    .filter((reader) => !isCaughtUp(world, reader))
    .map((reader) => `reader ${reader.name} saw ${reader.facts} of ${events.length} facts`);
  const parts = [`next action ${action}`, ...client.busyWith, ...behind];
  return `it never came to rest: status ${fold.status}, ${parts.join("; ")}`;
}

/** For as long as somebody who is away could still come back, nothing more happens; and then nobody even looks at the session. */
async function stayAtRest(world: World): Promise<void> {
  const { violations, leaseMs, pollMs, scenario } = world;
  const { restartMs = crashDefaults.restartMs } = scenario;
  world.isCounting = false;
  const length = world.stored.length;
  await pass(world, leaseMs + 2 * pollMs + restartMs + longestPause(world));
  const { claims } = world;
  await pass(world, 2 * pollMs);
  await world.look();
  if (world.claims > claims) violations.add("rest", "hosts claim the session again and again");
  if (world.stored.length > length) violations.add("rest", "something was written at rest");
}

async function pass({ clock, scheduler }: World, ms: number): Promise<void> {
  const endsAt = clock.now() + ms;
  while (clock.now() < endsAt) {
    await scheduler.settle();
    if (!scheduler.deliverOne()) clock.fireNext();
  }
  await scheduler.settle();
}

function longestPause({ run, scenario, pauseMs }: World): number {
  const pauses = scenario.actions.map((action) => (action.do === "pause" ? action.ms : 0));
  const isPaused = run.faults.some((fault) => fault.do === "pause");
  return Math.max(isPaused ? pauseMs : 0, ...pauses);
}

function compare(world: World, expected: FinalState | undefined): void {
  const { scenario, entries, violations } = world;
  const isUnknown = entries.some(
    (entry) => entry.type === "tool_result" && saysUnknown(entry.result.output),
  );
  if (expected === undefined || scenario.mayDiffer !== undefined || isUnknown) return;
  const difference = differenceOf(expected, finalStateOf(world));
  if (difference !== undefined) violations.add("final-state", difference);
}

/** What the model is told of a call that may have run, and must not run twice. */
function saysUnknown(output: ToolContent): boolean {
  return typeof output === "string" && output.includes("outcome is unknown");
}
