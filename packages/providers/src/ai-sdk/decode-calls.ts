/** Decodes the tool calls of a reply: pieces of their input, and the part that completes each call. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import { parseJson } from "../transport/parse-json.ts";
import type { Fields } from "./fields.ts";
import { requiredText, textIn, toJson } from "./fields.ts";

interface OpenCall {
  readonly index: number;
  readonly name: string;
  isShown: boolean;
  hasDeltas: boolean;
}

export class CallBlocks {
  /** Names of the tools that the caller runs. */
  readonly #declared: ReadonlySet<string>;
  readonly #open = new Map<string, OpenCall>();
  #count = 0;

  constructor(declared: ReadonlySet<string>) {
    this.#declared = declared;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Some models report only at the end that they ran the tool themselves. A call that may not be the caller's is held back until then. */
  start(part: Fields, parts: ProviderPart[]): void {
    const call = this.#begin(part);
    if (part["providerExecuted"] === true || this.#declared.has(call.name)) show(call, part, parts);
  }

  delta(part: Fields, parts: ProviderPart[]): void {
    const call = this.#open.get(requiredText(part, "id"));
    const delta = requiredText(part, "delta");
    if (call?.isShown !== true || delta === "") {
      parts.push({ type: "ping" });
      return;
    }
    call.hasDeltas = true;
    parts.push({ type: "toolcall_delta", index: call.index, delta });
  }

  /** Completes a call. A call whose input is not JSON gets no `toolcall_end`, so it is never run. */
  end(part: Fields, parts: ProviderPart[]): void {
    const id = requiredText(part, "toolCallId");
    const call = this.#open.get(id) ?? this.#begin(part);
    this.#open.delete(id);
    if (!call.isShown) show(call, part, parts);
    const { index } = call;
    const input = inputOf(part["input"]);
    if (input !== undefined) {
      parts.push({ type: "toolcall_end", index, input, providerData: dataOf(part) });
    } else if (!call.hasDeltas) {
      parts.push({ type: "toolcall_delta", index, delta: textIn(part, "input") ?? "" });
    }
  }

  #begin(part: Fields): OpenCall {
    const name = requiredText(part, "toolName");
    const call = { index: this.#count++, name, isShown: false, hasDeltas: false };
    this.#open.set(idOf(part), call);
    return call;
  }
}

function show(call: OpenCall, part: Fields, parts: ProviderPart[]): void {
  call.isShown = true;
  const { index, name } = call;
  const isProviderExecuted = part["providerExecuted"] === true;
  parts.push({
    type: "toolcall_start",
    index,
    name,
    ...(isProviderExecuted && { isProviderExecuted }),
    providerData: dataOf(part),
  });
}

function idOf(part: Fields): string {
  return textIn(part, "toolCallId") ?? requiredText(part, "id");
}

function dataOf(part: Fields): JsonValue {
  const providerOptions = toJson(part["providerMetadata"] ?? undefined);
  return { id: idOf(part), ...(providerOptions !== undefined && { providerOptions }) };
}

/** Parses the input, which arrives as JSON, or empty if there are no arguments. */
function inputOf(input: unknown): JsonValue | undefined {
  if (typeof input !== "string") return input === undefined ? {} : toJson(input);
  return input.trim() === "" ? {} : parseJson(input);
}
