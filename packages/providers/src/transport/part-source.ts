/** Source of the parts of a reply, one chunk at a time. */
import type { ProviderPart } from "@capstan/kernel";

export interface PartSource {
  /** Pushes the parts of the next chunk, possibly none; returns false if it was the last. Parts already pushed stay valid even if it throws. */
  fill(parts: ProviderPart[]): Promise<boolean>;
  /** Releases the source; the rest is not read. */
  leave(isFinished: boolean): void;
}
