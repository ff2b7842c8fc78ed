/** A test of the store contract: a sentence, and a function that fails if the sentence is false for a store. */
import type { SessionRepository } from "@capstan/log";

/** An empty store, created for one test. */
export interface OpenStore {
  readonly repository: SessionRepository;
  /** A second handle on the same storage, as another process would have; the same handle if the store has only one. */
  readonly other: SessionRepository;
  /** The store's clock. */
  readonly now: () => number;
  readonly advance: (ms: number) => Promise<void>;
  /** Duration of a lease that is meant to expire during the test. */
  readonly leaseMs: number;
  /** How long to wait for a wake-up. */
  readonly patienceMs: number;
  /** Whether due sessions are claimed in one order. */
  readonly isOneQueue: boolean;
  /** Whether a page may begin at a checkpoint. */
  readonly readsFromCheckpoints: boolean;
  readonly reopen: (() => Promise<SessionRepository> | SessionRepository) | undefined;
}

export type StoreCase = (store: OpenStore) => Promise<void>;

export interface StoreTheme {
  readonly name: string;
  /** Reason to skip the theme for this store, if any. */
  readonly whyNot?: (store: OpenStore) => string | undefined;
  /** By sentence. */
  readonly cases: Readonly<Record<string, StoreCase>>;
}

/** Long enough that no such lease expires during a test. */
export const longMs = 600_000;
