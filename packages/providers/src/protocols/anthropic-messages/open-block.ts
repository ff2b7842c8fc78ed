/** A content block while it streams. It pushes parts as it goes, and what has to go back to the vendor when it ends. */
import type { JsonValue, ProviderPart } from "@capstan/kernel";
import type { JsonObject } from "../../wire/wire-json.ts";
import { isObject, listOf, omit } from "../../wire/wire-json.ts";
import { needText, protocolError } from "./reply-fields.ts";

export interface OpenBlock {
  readonly index: number;
  /** Whether readers have seen a text of it. */
  readonly isAnswer?: boolean;
  delta(delta: JsonObject, parts: ProviderPart[]): void;
  end(parts: ProviderPart[]): void;
}

/** Begins a block. A block that came whole has everything in its start, and no deltas. */
export function openBlock(index: number, start: JsonObject, parts: ProviderPart[]): OpenBlock {
  const type = needText(start, "type");
  if (type === "text") return new ProseBlock(index, "text", start, parts);
  if (type === "thinking") return new ProseBlock(index, "thinking", start, parts);
  if (type === "redacted_thinking") return new RedactedBlock(index, start);
  // Server tools and those of MCP servers are called `server_tool_use`, `mcp_tool_use`; there will be others.
  if (type === "tool_use" || type.endsWith("_tool_use")) {
    return new CallBlock(index, type !== "tool_use", start, parts);
  }
  return new NativeBlock(index, start);
}

/** Text or thinking. */
class ProseBlock implements OpenBlock {
  readonly index: number;
  readonly #kind: "text" | "thinking";
  /** All that the block has besides its text: citations, a signature. */
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
    // Thinking without a signature is nothing that could go back; an empty list of citations is none.
    const fields = Object.fromEntries(
      Object.entries(this.#fields).filter(([, value]) => !isBlank(value)),
    );
    return Object.keys(fields).length === 0 ? undefined : fields;
  }
}

/** Thinking that only the vendor can read: all of it goes back. */
class RedactedBlock implements OpenBlock {
  readonly index: number;
  #block: JsonObject;

  constructor(index: number, start: JsonObject) {
    this.index = index;
    this.#block = start;
  }

  delta(delta: JsonObject): void {
    this.#block = addDelta(this.#block, delta);
  }

  end(parts: ProviderPart[]): void {
    parts.push({ type: "thinking_end", providerData: this.#block });
  }
}

/** A call, of a tool of ours or of one that the vendor runs by itself. */
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

  /** Only the vendor's own end makes the arguments whole. */
  end(parts: ProviderPart[]): void {
    const { index } = this;
    const input = this.#whole;
    const isWhole = !this.#hasJson && input !== undefined && input !== null;
    parts.push(isWhole ? { type: "toolcall_end", index, input } : { type: "toolcall_end", index });
  }
}

/** A block that nobody here understands: a result of a server tool, a compaction, or what the vendor will invent. */
class NativeBlock implements OpenBlock {
  readonly index: number;
  #block: JsonObject;

  constructor(index: number, start: JsonObject) {
    this.index = index;
    this.#block = start;
  }

  delta(delta: JsonObject): void {
    this.#block = addDelta(this.#block, delta);
  }

  end(parts: ProviderPart[]): void {
    parts.push({ type: "native", data: this.#block });
  }
}

/**
 * What a delta adds to a block, whatever its kind: texts and lists grow, all else is replaced. Fits every delta that the vendor has
 * (signatures, citations, compactions), and most likely those to come.
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
