/** Remembers which dispensable fields a server has refused, so that each is refused once in a process. */
import { hashJson } from "@capstan/kernel";
import type { DispensableField } from "../wire/protocol.ts";
import type { WireCall } from "./wire-call.ts";

/** The oldest are forgotten, and then refused once more. */
const maxRemembered = 1_000;

/**
 * Of this process, not of a provider: models are named anew for each agent, and what an account may ask for does not depend on that.
 * Accounts are told apart by a hash of the headers that carry their keys.
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
