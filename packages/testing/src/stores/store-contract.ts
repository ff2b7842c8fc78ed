/** Contract of a session repository, as tests that any store can run. */
import type { SessionRepository } from "@capstan/log";
import { blobs } from "./blobs.ts";
import { checkpoints } from "./checkpoints.ts";
import { claimOrder } from "./claim-order.ts";
import { claiming } from "./claiming.ts";
import { conditionalAppends } from "./conditional-appends.ts";
import { content } from "./content.ts";
import { deletion } from "./deletion.ts";
import { due } from "./due.ts";
import { durability } from "./durability.ts";
import { envelopes } from "./envelopes.ts";
import { fencing } from "./fencing.ts";
import { incarnations } from "./incarnations.ts";
import { jointWrites } from "./joint-writes.ts";
import { leases } from "./leases.ts";
import { listing } from "./listing.ts";
import { liveFrames } from "./live-frames.ts";
import { logs } from "./logs.ts";
import { posts } from "./posts.ts";
import { scale } from "./scale.ts";
import { startedPosts } from "./started-posts.ts";
import type { OpenStore, StoreTheme } from "./store-case.ts";
import { unknownSessions } from "./unknown-sessions.ts";
import { wakeups } from "./wakeups.ts";

/** An empty store, and the means to test it. */
export interface StoreUnderTest {
  readonly repository: SessionRepository;
  /** The store's clock. Default `Date.now`. */
  readonly now?: () => number;
  /** Advances the store's clock: moves a manual clock, or waits for a database. */
  readonly advance: (ms: number) => Promise<void>;
  /** A lease that expires soon, but not while a test makes a few calls. Default 1000; shorter if `advance` really waits. */
  readonly leaseMs?: number;
  /** How long a wake-up may take before it counts as lost. Default 10,000: only a failure takes that long. */
  readonly patienceMs?: number;
  /** False if the store is made of several: due sessions are then claimed in order within each of them. Default true. */
  readonly isOneQueue?: boolean;
  /** True if `read` does not ignore `fromCheckpoint`: pages must then begin there. Default false. */
  readonly readsFromCheckpoints?: boolean;
  /** Opens another handle on the same storage, as another process would have. Absent if nothing outlives the first. */
  readonly reopen?: () => Promise<SessionRepository> | SessionRepository;
  /** Closes this store and every handle from `reopen`. */
  readonly close?: () => Promise<void> | void;
}

/** Functions that the suite needs; those of vitest and node:test fit. */
export interface TestFramework {
  readonly describe: (name: string, define: () => void) => unknown;
  readonly test: (
    name: string,
    run: (context: { skip(reason: string): void }) => Promise<void>,
    timeoutMs?: number,
  ) => unknown;
}

const themes: readonly StoreTheme[] = [
  logs,
  checkpoints,
  content,
  envelopes,
  unknownSessions,
  posts,
  leases,
  fencing,
  conditionalAppends,
  jointWrites,
  startedPosts,
  due,
  claiming,
  claimOrder,
  listing,
  deletion,
  incarnations,
  blobs,
  wakeups,
  liveFrames,
  durability,
  scale,
];

/** Enough for ten thousand sessions in a database on a slow disk. */
const timeoutMs = 120_000;

/** Declares the whole suite. `create` is called once per test and must return an empty store each time. */
export function storeContract(
  name: string,
  create: () => Promise<StoreUnderTest> | StoreUnderTest,
  { describe, test }: TestFramework,
): void {
  const declare = (theme: StoreTheme): void => {
    for (const [sentence, run] of Object.entries(theme.cases)) {
      test(
        sentence,
        async (context) => {
          const underTest = await create();
          try {
            const store = await toOpenStore(underTest);
            const reason = theme.whyNot?.(store);
            if (reason === undefined) await run(store);
            else context.skip(reason);
          } finally {
            await underTest.close?.();
          }
        },
        timeoutMs,
      );
    }
  };
  describe(`the store contract: ${name}`, () => {
    for (const theme of themes) describe(theme.name, () => declare(theme));
  });
}

async function toOpenStore(store: StoreUnderTest): Promise<OpenStore> {
  const { repository, advance, reopen } = store;
  return {
    repository,
    other: (await reopen?.()) ?? repository,
    now: store.now ?? (() => Date.now()),
    advance,
    leaseMs: store.leaseMs ?? 1_000,
    patienceMs: store.patienceMs ?? 10_000,
    isOneQueue: store.isOneQueue ?? true,
    readsFromCheckpoints: store.readsFromCheckpoints ?? false,
    reopen,
  };
}
