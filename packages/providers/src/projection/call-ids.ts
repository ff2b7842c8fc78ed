/** Wire ids of the tool calls in one request. */
import type { AssistantMessage, ChatMessage, ToolCallPart } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { TargetOrigin } from "../wire/protocol.ts";
import { readableOf } from "./readable-origins.ts";
import { isObject, textAt } from "../wire/wire-json.ts";

/** Format a vendor accepts for call ids. */
export interface CallIdShape {
  /** Matches an allowed character; must match digits and lower-case letters. Must not have the stateful flags `g` and `y`. */
  readonly character: RegExp;
  readonly maxLength: number;
  /** For vendors that require a fixed length. Default 1. */
  readonly minLength?: number;
}

/** Returns the vendor's own call id if the target made the call and wants its id back. Otherwise undefined: our id is adapted. */
export type VendorIdOf = (call: ToolCallPart, message: AssistantMessage) => string | undefined;

/**
 * Assigns a unique wire id to each call. An id depends only on the messages up to the call, so that a longer conversation starts
 * with the same bytes and hits the vendor's prompt cache.
 */
export class CallIds {
  readonly #shape: CallIdShape;
  readonly #wireIds = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(messages: readonly ChatMessage[], shape: CallIdShape, vendorIdOf: VendorIdOf) {
    this.#shape = shape;
    for (const message of messages) {
      if (message.role !== "assistant") continue;
      for (const part of message.content) {
        if (part.type === "tool_call") this.#add(part.id, vendorIdOf(part, message));
      }
    }
  }

  /** Returns the same id for a call and its result. Also assigns an id if the call is not in the messages. */
  wireId(callId: string): string {
    return this.#wireIds.get(callId) ?? this.#add(callId, undefined);
  }

  #add(callId: string, vendorId: string | undefined): string {
    const known = this.#wireIds.get(callId);
    if (known !== undefined) return known;
    const wireId = this.#firstFree(callId, vendorId);
    this.#wireIds.set(callId, wireId);
    this.#taken.add(wireId);
    return wireId;
  }

  /** Uses the vendor's own id unchanged: the vendor created it. */
  #firstFree(callId: string, vendorId: string | undefined): string {
    if (vendorId !== undefined && vendorId !== "" && !this.#taken.has(vendorId)) return vendorId;
    if (fits(callId, this.#shape) && !this.#taken.has(callId)) return callId;
    for (let attempt = 0; ; attempt++) {
      const wireId = shorten(callId, this.#shape, attempt);
      if (!this.#taken.has(wireId)) return wireId;
    }
  }
}

/** The vendor's id for a call, if the target may read the reply. */
export function vendorIdFor(target: TargetOrigin): VendorIdOf {
  return ({ providerData }, { origin }) => {
    if (!readableOf(origin, target).native || !isObject(providerData)) return undefined;
    return textAt(providerData, "id");
  };
}

function fits(id: string, { character, maxLength, minLength = 1 }: CallIdShape): boolean {
  if (id.length < minLength || id.length > maxLength) return false;
  return Array.from(id).every((char) => character.test(char));
}

/** Keeps as much of the id as fits and appends a hash of all of it, so that ids with a common prefix stay distinct. */
function shorten(id: string, shape: CallIdShape, attempt: number): string {
  const { character, maxLength, minLength = 1 } = shape;
  const kept = Array.from(id).filter((char) => character.test(char));
  const hashLength = Math.min(maxLength, Math.max(12, minLength - kept.length));
  const hash = hashJson([id, attempt]).slice(0, hashLength);
  return kept.slice(0, maxLength - hash.length).join("") + hash;
}
