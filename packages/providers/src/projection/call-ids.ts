/** What tool calls are called on the wire of one request. */
import type { AssistantMessage, ChatMessage, ToolCallPart } from "@capstan/kernel";
import { hashJson } from "@capstan/kernel";
import type { TargetOrigin } from "../wire/protocol.ts";
import { readableOf } from "./readable-origins.ts";
import { isObject, textAt } from "../wire/wire-json.ts";

/** What a vendor takes as the id of a call. */
export interface CallIdShape {
  /** Matches a character that may stand in an id; digits and lower-case letters may. Without the flags `g` and `y`, which keep a state. */
  readonly character: RegExp;
  readonly maxLength: number;
  /** For vendors that want all ids to be of one length; default 1. */
  readonly minLength?: number;
}

/**
 * The vendor's own id of a call, where the target made the call and wants its id back; undefined otherwise, and then ours is made to fit.
 */
export type VendorIdOf = (call: ToolCallPart, message: AssistantMessage) => string | undefined;

/**
 * One wire id for each call, no two alike. Which one depends on nothing but the messages up to the call, so that a longer conversation begins
 * with the same bytes and the vendor's prompt cache holds.
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

  /** The same for a call and for its result. An id whose call is not in the messages gets one as well. */
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

  /** The vendor's own is not made to fit: it was good enough for the vendor. */
  #firstFree(callId: string, vendorId: string | undefined): string {
    if (vendorId !== undefined && vendorId !== "" && !this.#taken.has(vendorId)) return vendorId;
    if (fits(callId, this.#shape) && !this.#taken.has(callId)) return callId;
    for (let attempt = 0; ; attempt++) {
      const wireId = shorten(callId, this.#shape, attempt);
      if (!this.#taken.has(wireId)) return wireId;
    }
  }
}

/** The id that a vendor gave to a call, where the target may read the reply. */
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

/** As much of the id as can be kept, and a hash of all of it, so that ids that begin alike stay apart. */
function shorten(id: string, shape: CallIdShape, attempt: number): string {
  const { character, maxLength, minLength = 1 } = shape;
  const kept = Array.from(id).filter((char) => character.test(char));
  const hashLength = Math.min(maxLength, Math.max(12, minLength - kept.length));
  const hash = hashJson([id, attempt]).slice(0, hashLength);
  return kept.slice(0, maxLength - hash.length).join("") + hash;
}
