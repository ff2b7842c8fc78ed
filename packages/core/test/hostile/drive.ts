/**
 * A process that hands hostile values to the places of its part, one combination after another. It writes `>` and a number before each one and
 * `!` and what went wrong after it: its parent knows by that where it ended.
 */
import { writeSync } from "node:fs";
import { inspect } from "node:util";
import { createAgent, createHost } from "@capstan/core";
import type { AgentInit } from "@capstan/core";
import type { AgentEvent, RunTurnInput } from "@capstan/kernel";
import { isCapstanError, runTurn } from "@capstan/kernel";
import { foldEntries, memoryRepository } from "@capstan/log";
import type { SessionEvent, StoredEntry } from "@capstan/log";
import type { ManualClock } from "@capstan/testing";
import { manualClock } from "@capstan/testing";
import type { Deliver } from "./deliveries.ts";
import { deliveries } from "./deliveries.ts";
import { givenPlaces, loopInput, loopPlaces } from "./kernel-places.ts";
import { callbackPlaces, streaming, tool, valuePlaces } from "./session-places.ts";
import { overlay } from "../../../kernel/test/overlay.ts";
import { hostileValues } from "./values.ts";

interface Combination {
  readonly name: string;
  run(): Promise<string | undefined>;
}

type Run = (value: () => never) => Promise<string | undefined>;

const maxTimers = 400;

function* placesOf(): Generator<readonly [name: string, run: Run]> {
  for (const { name: how, wrap } of deliveries) {
    for (const [place, setting] of Object.entries(callbackPlaces)) {
      yield [`${place} ${how}`, (value) => inSession(setting(wrap(value)))];
    }
    for (const [place, setting] of Object.entries(loopPlaces)) {
      yield [`${place} ${how}`, (value) => inLoop(setting(wrap(value)))];
    }
    yield [`a listener ${how}`, (value) => inSession({}, wrap(value))];
  }
  for (const [place, setting] of Object.entries(valuePlaces)) {
    yield [place, (value) => inSession(setting(value))];
  }
  for (const [place, setting] of Object.entries(givenPlaces)) {
    yield [place, (value) => inLoop(setting(value))];
  }
}

function* combinations(): Generator<Combination> {
  for (const [place, run] of placesOf()) {
    for (const [name, value] of Object.entries(hostileValues)) {
      // The types of the places do not allow it: that is the point of it.
      yield { name: `${place} × ${name}`, run: () => run(value as () => never) };
    }
  }
}

async function inSession(
  setting: Partial<AgentInit>,
  listen?: Deliver,
): Promise<string | undefined> {
  const clock = manualClock(1_000);
  const repository = memoryRepository({ now: clock.now });
  const model = streaming();
  const agent = createAgent({
    name: "a",
    model,
    tools: [tool()],
    compaction: false,
    retry: { maxAttempts: 2 },
    deadlines: { toolMs: 60_000, attemptMs: 600_000 },
    ...setting,
  });
  const host = createHost({
    agents: [agent],
    repository,
    clock,
    pollMs: Infinity,
    leaseMs: 86_400_000,
  });
  const session = host.createSession({ agent: "a", id: "s" });
  const events: SessionEvent[] = [];
  if (listen !== undefined) session.subscribe(listen);
  session.subscribe((event) => events.push(event));
  const response = await inTime(clock, session.send("go").response);
  if (response === undefined) return "the turn hangs";
  const { error, messages } = response.value;
  await inTime(clock, host.close());
  const { entries } = repository.read("s");
  return problemOf({ events, error, messages }) ?? problemOfLog(entries);
}

async function inLoop(setting: Partial<RunTurnInput>): Promise<string | undefined> {
  const clock = manualClock(1_000);
  const events: AgentEvent[] = [];
  const facts: unknown[] = [];
  const provider = streaming();
  const { now, timer } = clock;
  const stop = new AbortController();
  const input: RunTurnInput = {
    provider,
    ...loopInput,
    emit: (event) => events.push(event),
    journal: { record: (recorded) => void facts.push(...recorded) },
    now,
    clock: { timer },
    signal: stop.signal,
  };
  const turn = runTurn(overlay(input, setting));
  // What may take as long as it likes ends with an abort.
  const result = (await inTime(clock, turn)) ?? (await inTimeAfter(stop, clock, turn));
  if (result === undefined) return "the turn hangs";
  const { error, messages } = result.value;
  return problemOf({ events, error, messages, facts });
}

/** The value of the promise; undefined if no timer brings it about. */
async function inTime<T>(
  clock: ManualClock,
  promise: Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  const state = { isSettled: false };
  const onSettled = (): void => {
    state.isSettled = true;
  };
  promise.then(onSettled, onSettled);
  for (let fired = 0; fired < maxTimers; fired += 1) {
    const hasFired = await clock.advanceToNext();
    if (state.isSettled) return { value: await promise };
    if (!hasFired) break;
  }
  return undefined;
}

function inTimeAfter<T>(
  stop: AbortController,
  clock: ManualClock,
  promise: Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  stop.abort();
  return inTime(clock, promise);
}

/** What is shown or recorded has to be JSON, with errors of the one shape. */
function problemOf(shown: object): string | undefined {
  let plain: unknown;
  try {
    plain = JSON.parse(JSON.stringify(shown));
  } catch (thrown) {
    return `what is shown is not JSON: ${String(thrown)}`;
  }
  return problemIn(plain, shown, "");
}

function problemIn(plain: unknown, shown: unknown, path: string): string | undefined {
  if (typeof plain !== "object" || plain === null) {
    return Object.is(plain, shown) || (plain === 0 && shown === 0)
      ? undefined
      : `${path} is ${typeof shown}, and ${typeof plain} as JSON`;
  }
  if (path.endsWith(".error")) {
    const { name, message, code = "" } = plain as Record<string, unknown>;
    const isTyped = [name, message, code].every((field) => typeof field === "string");
    if (!isTyped) return `${path} is not typed: ${JSON.stringify(plain)}`;
  }
  if (path.endsWith(".message") && !path.includes(".error.") && !("role" in plain))
    return `${path} is no message`;
  for (const [key, inner] of Object.entries(plain)) {
    const problem = problemIn(inner, (shown as Record<string, unknown>)[key], `${path}.${key}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Another process can read it. */
function problemOfLog(entries: readonly StoredEntry[]): string | undefined {
  try {
    foldEntries(JSON.parse(JSON.stringify(entries)) as StoredEntry[]);
    return undefined;
  } catch (thrown) {
    return `the log cannot be read: ${String(thrown)}`;
  }
}

async function drive(first: number, step: number): Promise<void> {
  let number = -1;
  for (const { name, run } of combinations()) {
    number += 1;
    if (number < first || (number - first) % step !== 0) continue;
    writeSync(1, `>${number} ${name}\n`);
    const problem = await run().catch(problemOfThrown);
    if (problem !== undefined) writeSync(1, `!${problem.slice(0, 300)}\n`);
  }
  writeSync(1, `=${number + 1}\n`);
}

/** Agents refuse some of the values when they are made, in words. */
function problemOfThrown(thrown: unknown): string | undefined {
  return isCapstanError(thrown) ? undefined : `it throws ${inspect(thrown)}`;
}

const [first = "0", step = "1"] = process.argv.slice(2);
await drive(Number(first), Number(step));
