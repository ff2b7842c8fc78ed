/** A provider that asks the agent for its key before each request. */
import type { ProviderContract, Timer } from "@capstan/kernel";
import { withApiKey } from "@capstan/kernel";
import { within } from "../platform/within.ts";
import type { AgentInit } from "./agent-init.ts";
import { callbackMsOf } from "./agent-settings.ts";

export function keyed(
  init: AgentInit,
  { timer }: { readonly timer?: Timer },
  provider: ProviderContract,
): ProviderContract {
  return withApiKey(provider, init.getApiKey, (key) =>
    within(timer, callbackMsOf(init), key, "getApiKey"),
  );
}
