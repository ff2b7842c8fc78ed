/** Many sessions that are due at once, some of which no host gets further with. */
import { memoryRepository } from "@capstan/log";
import type { AlterHost, CrashViolationCode, CreateStore, CrowdRun } from "@capstan/testing/crash";
import { runCrowd } from "@capstan/testing/crash";
import { expect, test } from "vitest";
import { dropping } from "./faulty-stores.ts";

const crowds: Readonly<Record<string, CrowdRun>> = {
  "with slots enough": { sessions: { healthy: 60 }, hosts: 1, maxTurns: 100, turnMs: 300 },
  "with few slots": { sessions: { healthy: 60 }, hosts: 1, maxTurns: 7, turnMs: 150 },
  "with few slots on two hosts": { sessions: { healthy: 60 }, hosts: 2, maxTurns: 5, turnMs: 150 },
  "beside sessions that end every process": {
    sessions: { healthy: 20, fatal: 3 },
    hosts: 2,
    maxTurns: 1,
    turnMs: 100,
  },
  "beside one that ends every process, while others wait for a slot": {
    sessions: { healthy: 20, fatal: 1 },
    hosts: 2,
    maxTurns: 1,
    turnMs: 1_500,
  },
  "beside sessions that cannot be recorded": {
    sessions: { healthy: 20, refused: 6, unrecordable: 6 },
    hosts: 2,
    maxTurns: 3,
    turnMs: 100,
  },
  "beside sessions of all kinds": {
    sessions: { healthy: 20, fatal: 2, refused: 4, unrecordable: 4 },
    hosts: 3,
    maxTurns: 1,
    turnMs: 100,
  },
};

test.each(Object.entries(crowds))(
  "healthy sessions that are due at once end, each once and in a fair order, %s",
  async (_, crowd) => {
    const violations = [await runCrowd(crowd)];
    for (const order of [1, 2, 3]) violations.push(await runCrowd({ ...crowd, order }));

    expect(violations.flat().map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  },
);

test("healthy sessions that share their process with one that ends it come to their own end", async () => {
  const crowd = { sessions: { healthy: 20, fatal: 3 }, hosts: 2, maxTurns: 4, turnMs: 100 };

  const violations = [
    await runCrowd({ ...crowd, order: 1 }),
    await runCrowd({ ...crowd, order: 2 }),
    await runCrowd({ ...crowd, order: 3 }),
    await runCrowd({ ...crowd, sessions: { healthy: 20, fatal: 1 }, maxTurns: 100, order: 4 }),
  ];

  expect(violations.flat().map(({ message }) => message)).toEqual([]);
});

interface PlantedFault {
  readonly name: string;
  readonly crowd: string;
  readonly caughtAs: CrashViolationCode;
  readonly createStore?: CreateStore;
  readonly alterHost?: AlterHost;
}

const plantedFaults: readonly PlantedFault[] = [
  {
    name: "resumes are not counted",
    crowd: "beside sessions that end every process",
    caughtAs: "crowd",
    createStore: dropping(["turn_resumed"]),
  },
  {
    name: "the oldest session is claimed first, each time",
    crowd: "beside one that ends every process, while others wait for a slot",
    caughtAs: "fairness",
    createStore: oldestFirst,
  },
  {
    name: "a session that fails is tried at every poll",
    crowd: "beside sessions that end every process",
    caughtAs: "crowd",
    alterHost: withoutBackOff,
  },
  {
    name: "a host claims once at a poll",
    crowd: "with few slots",
    caughtAs: "idle",
    alterHost: claimingOnce,
  },
];

test.each(plantedFaults)("a crowd shows that $name", async ({ crowd, caughtAs, ...altered }) => {
  const violations = await runCrowd(crowds[crowd] as CrowdRun, altered);

  expect(violations.map(({ code }) => code)).toContain(caughtAs);
});

/** The order of the ids is that in which sessions were created. */
function oldestFirst(options: { readonly now: () => number }): ReturnType<CreateStore> {
  const store = memoryRepository(options);
  return {
    ...store,
    claimDue: (query) => {
      const claims = store.claimDue({ ...query, limit: 1_000 });
      const sorted = claims.toSorted((a, b) => (a.lease.sessionId < b.lease.sessionId ? -1 : 1));
      for (const { lease } of sorted.slice(query.limit)) store.release(lease);
      return sorted.slice(0, query.limit);
    },
  };
}

/** Timers of the waits before a resume are over at once. */
function withoutBackOff(options: Parameters<AlterHost>[0]): ReturnType<AlterHost> {
  const { clock } = options;
  if (clock === undefined) return options;
  const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
  const timer: typeof clock.timer = (ms, fn) => clock.timer(waits.includes(ms) ? 0 : ms, fn);
  return { ...options, clock: { ...clock, timer } };
}

function claimingOnce(options: Parameters<AlterHost>[0]): ReturnType<AlterHost> {
  const { repository, clock, pollMs = 0 } = options;
  let next = 0;
  const claimDue: typeof repository.claimDue = (query) => {
    const now = clock?.now() ?? 0;
    if (now < next) return [];
    next = now + pollMs;
    return repository.claimDue(query);
  };
  return { ...options, repository: { ...repository, claimDue } };
}
