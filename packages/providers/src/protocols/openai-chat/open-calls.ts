/** Calls of a streaming reply. Servers distinguish them by index, by id, or not at all. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { parseJson } from "../../transport/parse-json.ts";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, omit, textAt } from "../../wire/wire-json.ts";
import { protocolError } from "./protocol-error.ts";

interface OpenCall {
  readonly index: number;
  /** The server's index for the call, if it sends one. */
  readonly serverIndex: number | undefined;
  readonly id: string | undefined;
  readonly isCustom: boolean;
  /** Arguments or input received so far. */
  text: string;
}

export class OpenCalls {
  readonly #calls: OpenCall[] = [];

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** Whether every call is certainly complete, however the stream ended: its arguments are a complete JSON object. */
  get areWhole(): boolean {
    return this.#calls.every(({ isCustom, text }) => !isCustom && isObject(parseJson(text)));
  }

  /** Takes a piece of a call, or all of it. */
  take(piece: JsonValue, parts: ProviderPart[]): void {
    if (!isObject(piece)) throw protocolError("sent a call that is not an object");
    const call = this.#find(piece) ?? this.#start(piece, parts);
    const { function: called, custom } = piece;
    const delta = textOf(isObject(called) ? called["arguments"] : undefined) ?? inputOf(custom);
    if (delta === undefined || delta === "") return;
    call.text += delta;
    parts.push({ type: "toolcall_delta", index: call.index, delta });
  }

  /** Ends the calls. If the reply was truncated, the last call may be too, and stays open. */
  end(isCut: boolean, parts: ProviderPart[]): void {
    const ended = isCut ? this.#calls.slice(0, -1) : this.#calls;
    for (const { index, isCustom, text } of ended) {
      if (isCustom) parts.push({ type: "toolcall_end", index, input: text });
      else if (text === "") parts.push({ type: "toolcall_end", index, input: {} });
      else parts.push({ type: "toolcall_end", index });
    }
  }

  /** Returns undefined for the first piece of a call. */
  #find(piece: JsonObject): OpenCall | undefined {
    const serverIndex = piece["index"];
    const id = textAt(piece, "id");
    if (typeof serverIndex === "number") {
      const known = this.#calls.find((call) => call.serverIndex === serverIndex);
      // Some servers send index 0 for every call, and distinguish them by id.
      return known !== undefined && isOther(id, known.id) ? undefined : known;
    }
    if (id !== undefined && id !== "") return this.#calls.find((call) => call.id === id);
    const names = isObject(piece["function"]) ? textAt(piece["function"], "name") : undefined;
    return names === undefined ? this.#calls.at(-1) : undefined;
  }

  #start(piece: JsonObject, parts: ProviderPart[]): OpenCall {
    const { function: called, custom, index: serverIndex } = piece;
    const isCustom = isObject(custom);
    const described = isObject(called) ? called : isCustom ? custom : {};
    const name = textAt(described, "name");
    if (name === undefined || name === "") {
      throw protocolError("sent a call without a tool name");
    }
    const id = textAt(piece, "id");
    const call: OpenCall = {
      index: this.#calls.length,
      serverIndex: typeof serverIndex === "number" ? serverIndex : undefined,
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

/** Some servers send arguments already parsed. */
function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : undefined;
}

function inputOf(custom: JsonValue | undefined): string | undefined {
  return isObject(custom) ? textAt(custom, "input") : undefined;
}
