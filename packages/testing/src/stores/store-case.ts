/** What a test of the store contract is: a sentence, and a function that fails if the sentence is not true of a store. */
import type { SessionRepository } from "@capstan/log";

/** An empty store, made for one test. */
export interface OpenStore {
  readonly repository: SessionRepository;
  /** As another process would have it: a second handle on the same storage where the store has one, otherwise the same. */
  readonly other: SessionRepository;
  /** The store's clock. */
  readonly now: () => number;
  readonly advance: (ms: number) => Promise<void>;
  /** How long a lease is that the test wants to see run out. */
  readonly leaseMs: number;
  /** How long a wake-up is waited for. */
  readonly patienceMs: number;
  readonly reopen: (() => Promise<SessionRepository> | SessionRepository) | undefined;
}

export type StoreCase = (store: OpenStore) => Promise<void>;

export interface StoreTheme {
  readonly name: string;
  /** Why this store cannot be asked, if it cannot. */
  readonly whyNot?: (store: OpenStore) => string | undefined;
  /** By their sentences. */
  readonly cases: Readonly<Record<string, StoreCase>>;
}

/** Long enough that no lease of this length runs out during a test. */
export const longMs = 600_000;
