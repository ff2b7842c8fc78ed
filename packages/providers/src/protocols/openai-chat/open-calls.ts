/** The calls of a reply under way. Servers differ in how they tell one from another: by an index, by an id, or not at all. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { parseJson } from "../../transport/parse-json.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, omit, textAt } from "../../wire/wire-json.ts";
import { protocolError } from "./protocol-error.ts";

interface OpenCall {
  readonly index: number;
  /** What the server calls it, where it does. */
  readonly place: number | undefined;
  readonly id: string | undefined;
  readonly isCustom: boolean;
  /** Its arguments, or its input, as far as it came. */
  text: string;
}

export class OpenCalls {
  readonly #calls: OpenCall[] = [];

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** Whether no call can have lost anything, whatever came of the rest: its arguments are an object that ends. */
  get areWhole(): boolean {
    return this.#calls.every(({ isCustom, text }) => !isCustom && isObject(parseJson(text)));
  }

  /** A piece of a call, or all of it. */
  take(piece: JsonValue, parts: ProviderPart[]): void {
    if (!isObject(piece)) throw protocolError("sent a call that is no object");
    const call = this.#find(piece) ?? this.#start(piece, parts);
    const { function: called, custom } = piece;
    const delta = textOf(isObject(called) ? called["arguments"] : undefined) ?? inputOf(custom);
    if (delta === undefined || delta === "") return;
    call.text += delta;
    parts.push({ type: "toolcall_delta", index: call.index, delta });
  }

  /** The reply is over. Where it was cut, the last call may be, too, and stays open. */
  end(isCut: boolean, parts: ProviderPart[]): void {
    const ended = isCut ? this.#calls.slice(0, -1) : this.#calls;
    for (const { index, isCustom, text } of ended) {
      if (isCustom) parts.push({ type: "toolcall_end", index, input: text });
      else if (text === "") parts.push({ type: "toolcall_end", index, input: {} });
      else parts.push({ type: "toolcall_end", index });
    }
  }

  /** Undefined for the first piece of a call. */
  #find(piece: JsonObject): OpenCall | undefined {
    const place = piece["index"];
    const id = textAt(piece, "id");
    if (typeof place === "number") {
      const known = this.#calls.find((call) => call.place === place);
      // Some servers count every call as the first, and tell them apart by their ids.
      return known !== undefined && isOther(id, known.id) ? undefined : known;
    }
    if (id !== undefined && id !== "") return this.#calls.find((call) => call.id === id);
    const names = isObject(piece["function"]) ? textAt(piece["function"], "name") : undefined;
    return names === undefined ? this.#calls.at(-1) : undefined;
  }

  #start(piece: JsonObject, parts: ProviderPart[]): OpenCall {
    const { function: called, custom, index: place } = piece;
    const isCustom = isObject(custom);
    const described = isObject(called) ? called : isCustom ? custom : {};
    const name = textAt(described, "name");
    if (name === undefined || name === "") {
      throw protocolError("sent a call without the name of the tool");
    }
    const id = textAt(piece, "id");
    const call: OpenCall = {
      index: this.#calls.length,
      place: typeof place === "number" ? place : undefined,
      id,
      isCustom,
      text: "",
    };
    this.#calls.push(call);
    const data = omit(piece, ["id", "index", "function", "custom", "type"]);
    const providerData = {
      ...data,
      ...(id !== undefined && id !== "" && { id }),
      ...(isCustom && { type: "custom" }),
    };
    parts.push({ type: "toolcall_start", index: call.index, name, providerData });
    return call;
  }
}

function isOther(id: string | undefined, known: string | undefined): boolean {
  return id !== undefined && id !== "" && known !== undefined && id !== known;
}

/** Some servers send arguments that are parsed already. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : undefined;
}

function inputOf(custom: JsonValue | undefined): string | undefined {
  return isObject(custom) ? textAt(custom, "input") : undefined;
}
