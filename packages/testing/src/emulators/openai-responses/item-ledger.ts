/** Knows the items that it gave out: which belong together, which it kept, and what it encrypted. */
import { asText, isObject } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { Sealer } from "../sealer.ts";
import { invalid } from "./errors.ts";
import { typeOf } from "./responses-request.ts";

/** An item of a reply. */
export interface IssuedItem {
  readonly item: JsonObject;
  /** The reasoning that it came out of. */
  readonly reasoningId: string | undefined;
  /** What came right behind it. */
  readonly follower: JsonObject | undefined;
  /** It can be looked up by its id. */
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

  /** While an item is under way it has a draft of its content, which is worth nothing later. */
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

  /** All that was said up to the end of this response. Throws a `Refusal` if it was not kept. */
  conversationOf(responseId: string): readonly JsonObject[] {
    const items = this.#responses.get(responseId);
    if (items !== undefined || this.trustsForeign) return items ?? [];
    throw invalid(
      `Previous response with id '${responseId}' not found.`,
      "previous_response_id",
      "previous_response_not_found",
    );
  }

  /** What a reference stands for. Throws a `Refusal` if it was not kept. */
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

  /** Throws a `Refusal` for reasoning that is neither kept here nor brought along. */
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

  /** Whose reasoning this is, where it can be told. */
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
