/** Remembers which dispensable fields a server has rejected, so that each is rejected once per process. */
import { hashJson } from "@capstan/kernel";
import type { DispensableField } from "../wire/protocol.ts";
import type { WireCall } from "./wire-call.ts";

/** Beyond this the oldest is forgotten, and will be rejected once more. */
const maxRemembered = 1_000;

/**
 * Per process, not per provider: models are created anew for each agent, but an account's permissions do not depend on that.
 * Accounts are distinguished by a hash of the header with their key.
 */
const refused = new Set<string>();

export function isRefused(call: WireCall, field: DispensableField): boolean {
  return refused.has(keyOf(call, field));
}

export function rememberRefusal(call: WireCall, field: DispensableField): void {
  const [oldest] = refused;
  if (refused.size >= maxRemembered && oldest !== undefined) refused.delete(oldest);
  refused.add(keyOf(call, field));
}

function keyOf({ place, headers, vendor }: WireCall, { name }: DispensableField): string {
  const key = headers.get(vendor.quirks.keyHeader ?? "authorization");
  return hashJson([place, key, name]);
}
