/** A store that breaks one promise of the contract, the way a real one might, and the sentence that must catch it. */
import type { MemoryRepository, SessionRepository } from "@capstan/log";

export interface BrokenStore {
  /** Completes "a store is caught in which". */
  readonly fault: string;
  readonly sentence: string;
  readonly from: (intact: MemoryRepository) => SessionRepository;
}
