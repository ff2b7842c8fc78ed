/** Records issued items: which belong together, which are stored, and what was encrypted. */
import { asText, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { Sealer } from "../sealer.ts";
import { invalid } from "./errors.ts";
import { typeOf } from "./responses-request.ts";

/** An item of a reply. */
export interface IssuedItem {
  readonly item: JsonObject;
  /** Id of the reasoning that it came from. */
  readonly reasoningId: string | undefined;
  /** The next item of the reply. */
  readonly follower: JsonObject | undefined;
  /** True if it can be looked up by its id. */
  readonly isStored: boolean;
}

export class ItemLedger {
  readonly trustsForeign: boolean;
  readonly #sealer = new Sealer("gAAAAAB");
  readonly #items = new Map<string, IssuedItem>();
  readonly #responses = new Map<string, readonly JsonObject[]>();

  constructor(trustsForeign: boolean) {
    this.trustsForeign = trustsForeign;
  }

  /** An item in progress has a draft of its content, which is invalid later. */
  encrypt(itemId: string, isDraft = false): string {
    return this.#sealer.seal({ itemId, isDraft });
  }

  record(
    responseId: string,
    input: readonly JsonObject[],
    output: readonly JsonObject[],
    isStored: boolean,
  ): void {
    let reasoningId: string | undefined;
    for (const [index, item] of output.entries()) {
      const isReasoning = item["type"] === "reasoning";
      const follower = output[index + 1];
      this.#items.set(asText(item["id"]), {
        item,
        reasoningId: isReasoning ? undefined : reasoningId,
        follower,
        isStored,
      });
      if (isReasoning) reasoningId = asText(item["id"]);
    }
    if (isStored) this.#responses.set(responseId, [...input, ...output]);
  }

  find(id: string): IssuedItem | undefined {
    return this.#items.get(id);
  }

  /** Returns all items up to the end of this response. Throws a `Refusal` if it was not stored. */
  conversationOf(responseId: string): readonly JsonObject[] {
    const items = this.#responses.get(responseId);
    if (items !== undefined || this.trustsForeign) return items ?? [];
    throw invalid(
      `Previous response with id '${responseId}' not found.`,
      "previous_response_id",
      "previous_response_not_found",
    );
  }

  /** Resolves a reference. Throws a `Refusal` if the item was not stored. */
  lookUp(id: string): JsonObject {
    const issued = this.#items.get(id);
    if (issued?.isStored === true) return issued.item;
    if (this.trustsForeign) return { type: "item_reference", id };
    const advice =
      issued === undefined
        ? ""
        : " Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.";
    throw new Refusal(`Item with id '${id}' not found.${advice}`, { status: 404, param: "input" });
  }

  /** Throws a `Refusal` for reasoning that is neither stored here nor included. */
  checkReasoning(item: JsonObject): void {
    const { id, encrypted_content: encrypted } = item;
    if (encrypted === undefined || encrypted === null) {
      if (id !== undefined) this.lookUp(asText(id));
      return;
    }
    if (this.trustsForeign) return;
    const opened = this.#sealer.open(asText(encrypted));
    const name = id === undefined ? asText(encrypted).slice(0, 12) : `for item ${asText(id)}`;
    if (opened === undefined || opened["isDraft"] === true) {
      throw unreadable(name, "Encrypted content could not be decrypted or parsed.");
    }
    if (id !== undefined && opened["itemId"] !== id) {
      throw unreadable(name, "Encrypted content item_id did not match the target item id.");
    }
  }

  /** Returns the id of a reasoning item, if known. */
  reasoningIdOf(item: JsonObject): string | undefined {
    if (typeOf(item) !== "reasoning") return undefined;
    const { id, encrypted_content: encrypted } = item;
    if (id !== undefined) return asText(id);
    const opened = this.#sealer.open(asText(encrypted));
    return isObject(opened) ? asText(opened["itemId"]) : undefined;
  }
}

function unreadable(name: string, reason: string): Refusal {
  return invalid(
    `The encrypted content ${name} could not be verified. Reason: ${reason}`,
    "input",
    "invalid_encrypted_content",
  );
}
