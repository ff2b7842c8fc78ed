/** Decodes the parts of a reply that arrives as one JSON body. */
import type { ProviderPart } from "@capstan/kernel";
import { RoomCheck } from "./full-context.ts";
import { toNetworkError } from "./network-errors.ts";
import { parseJson } from "./parse-json.ts";
import type { PartSource } from "./part-source.ts";
import { readText } from "./read-text.ts";
import { unexpectedAnswer } from "./unexpected-answer.ts";
import type { WireCall } from "./wire-call.ts";

const maxChars = 64_000_000;

export class WholeReply implements PartSource {
  readonly #call: WireCall;
  readonly #response: Response;

  constructor(call: WireCall, response: Response) {
    this.#call = call;
    this.#response = response;
  }

  async fill(parts: ProviderPart[]): Promise<boolean> {
    const { vendor, target } = this.#call;
    const text = await this.#text();
    const body = parseJson(text);
    if (body === undefined) throw unexpectedAnswer(this.#call, this.#response, text);
    parts.push(...vendor.protocol.decodeBody(body, target));
    new RoomCheck(vendor.id, target.contextWindow).take(parts);
    return false;
  }

  /** Does nothing: after the first part nothing is left to read, and before that the signal ends the request. */
  leave(): void {}

  async #text(): Promise<string> {
    try {
      return await readText(this.#response.body, maxChars);
    } catch (thrown) {
      throw toNetworkError(`Reading the reply from ${this.#call.place}`, thrown);
    }
  }
}
