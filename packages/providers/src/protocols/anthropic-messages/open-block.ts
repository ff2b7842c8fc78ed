/** A content block while it streams. It pushes parts as they arrive, and at its end the data to send back to the vendor. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, omit } from "../../wire/wire-json.ts";
import { needText, protocolError } from "./reply-fields.ts";

export interface OpenBlock {
  readonly index: number;
  /** Whether it has emitted any text. */
  readonly isAnswer?: boolean;
  delta(delta: JsonObject, parts: ProviderPart[]): void;
  end(parts: ProviderPart[]): void;
}

/** Opens a block. A block that was not streamed has everything in its start, and no deltas. */
export function openBlock(index: number, start: JsonObject, parts: ProviderPart[]): OpenBlock {
  const type = needText(start, "type");
  if (type === "text") return new ProseBlock(index, "text", start, parts);
  if (type === "thinking") return new ProseBlock(index, "thinking", start, parts);
  if (type === "redacted_thinking") {
    return new WholeBlock(index, start, (block) => ({ type: "thinking_end", providerData: block }));
  }
  // Server tools use `server_tool_use`, tools of MCP servers `mcp_tool_use`; there will be others.
  if (type === "tool_use" || type.endsWith("_tool_use")) {
    return new CallBlock(index, type !== "tool_use", start, parts);
  }
  return new WholeBlock(index, start, (block) => ({ type: "native", data: block }));
}

/** Text or thinking. */
class ProseBlock implements OpenBlock {
  readonly index: number;
  readonly #kind: "text" | "thinking";
  /** All fields besides the text: citations, a signature. */
  #fields: JsonObject;
  #hasText = false;

  constructor(index: number, kind: "text" | "thinking", start: JsonObject, parts: ProviderPart[]) {
    this.index = index;
    this.#kind = kind;
    this.#fields = omit(start, ["type", kind]);
    this.#addText(needText(start, kind), parts);
  }

  get isAnswer(): boolean {
    return this.#hasText && this.#kind === "text";
  }

  delta(delta: JsonObject, parts: ProviderPart[]): void {
    const { type } = delta;
    if (type === "text_delta" && this.#kind === "text") {
      this.#addText(needText(delta, "text"), parts);
    } else if (type === "thinking_delta" && this.#kind === "thinking") {
      this.#addText(needText(delta, "thinking"), parts);
    } else {
      this.#fields = addDelta(this.#fields, delta);
    }
  }

  end(parts: ProviderPart[]): void {
    const providerData = this.#providerData();
    if (providerData === undefined && !this.#hasText) return;
    const type = this.#kind === "text" ? "text_end" : "thinking_end";
    parts.push(providerData === undefined ? { type } : { type, providerData });
  }

  #addText(delta: string, parts: ProviderPart[]): void {
    if (delta === "") return;
    this.#hasText = true;
    parts.push({ type: this.#kind === "text" ? "text_delta" : "thinking_delta", delta });
  }

  #providerData(): JsonValue | undefined {
    // Thinking without a signature cannot be sent back; an empty list of citations is dropped.
    const fields = Object.fromEntries(
      Object.entries(this.#fields).filter(([, value]) => !isBlank(value)),
    );
    return Object.keys(fields).length === 0 ? undefined : fields;
  }
}

/** A call to one of our tools, or to one that the vendor runs itself. */
class CallBlock implements OpenBlock {
  readonly index: number;
  readonly #whole: JsonValue | undefined;
  #hasJson = false;

  constructor(
    index: number,
    isProviderExecuted: boolean,
    start: JsonObject,
    parts: ProviderPart[],
  ) {
    this.index = index;
    this.#whole = start["input"];
    const name = needText(start, "name");
    const id = needText(start, "id");
    parts.push({
      type: "toolcall_start",
      index,
      name,
      ...(isProviderExecuted && { isProviderExecuted }),
      // The type tells which of its tools the vendor ran.
      providerData: {
        ...omit(start, ["type", "name", "input"]),
        id,
        ...(isProviderExecuted && { type: needText(start, "type") }),
      },
    });
  }

  delta(delta: JsonObject, parts: ProviderPart[]): void {
    if (delta["type"] !== "input_json_delta") return;
    const json = needText(delta, "partial_json");
    if (json === "") return;
    this.#hasJson = true;
    parts.push({ type: "toolcall_delta", index: this.index, delta: json });
  }

  /** Only the vendor's end event makes the arguments complete. */
  end(parts: ProviderPart[]): void {
    const { index } = this;
    const input = this.#whole;
    const isWhole = !this.#hasJson && input !== undefined && input !== null;
    parts.push(isWhole ? { type: "toolcall_end", index, input } : { type: "toolcall_end", index });
  }
}

/** A block that is kept whole: thinking that only the vendor can read, a server tool's result, a compaction, or a future kind. */
class WholeBlock implements OpenBlock {
  readonly index: number;
  #block: JsonObject;
  readonly #toPart: (block: JsonObject) => ProviderPart;

  constructor(index: number, start: JsonObject, toPart: (block: JsonObject) => ProviderPart) {
    this.index = index;
    this.#block = start;
    this.#toPart = toPart;
  }

  delta(delta: JsonObject): void {
    this.#block = addDelta(this.#block, delta);
  }

  end(parts: ProviderPart[]): void {
    parts.push(this.#toPart(this.#block));
  }
}

/**
 * Applies a delta to a block of any kind: strings and lists grow, everything else is replaced. Works for every delta the vendor has
 * (signatures, citations, compactions), and most likely for future ones.
 */
function addDelta(block: JsonObject, delta: JsonObject): JsonObject {
  const { type } = delta;
  if (typeof type !== "string") throw protocolError("sent a delta without a type");
  const added: JsonObject =
    type === "citations_delta" && isObject(delta["citation"])
      ? { citations: [delta["citation"]] }
      : omit(delta, ["type"]);
  const grown = Object.entries(added).map(([key, value]) => [key, grow(block[key], value)]);
  return { ...block, ...Object.fromEntries(grown) };
}

function grow(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (typeof before === "string" && typeof value === "string") return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return [...listOf(before), ...listOf(value)];
  return value;
}

function isBlank(value: JsonValue): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}
