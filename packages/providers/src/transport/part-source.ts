/** Where the parts of a reply come from, a piece at a time. */
import type { ProviderPart } from "@capstan/kernel";

export interface PartSource {
  /** Pushes what the next piece says, which may be nothing; false if it was the last. What was pushed counts, also if it throws. */
  fill(parts: ProviderPart[]): Promise<boolean>;
  /** Nobody wants the rest. */
  leave(isFinished: boolean): void;
}
