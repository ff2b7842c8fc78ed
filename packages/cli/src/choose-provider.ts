/** Which provider a turn runs on, and why that one. */
import type { ProviderContract } from "@capstan/kernel";
import { offlineProvider } from "@capstan/providers/offline";

export interface ChosenProvider {
  readonly provider: ProviderContract;
  /** Completes "because …" for the user. */
  readonly reason: string;
}

/** There is only the offline one so far. */
export function chooseProvider(): ChosenProvider {
  return { provider: offlineProvider(), reason: "no language model is connected" };
}
