/** Signs thinking, and verifies it together with the conversation before it. */
import type { JsonValue } from "@capstan/kernel";
import { asText, without } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { Sealer, digest } from "../sealer.ts";
import { blocksOf, isThinking } from "./messages-request.ts";
import type { MessagesRequest, Turn } from "./messages-request.ts";
import { canRead, modelTraits } from "./model-traits.ts";
import type { ModelTraits } from "./model-traits.ts";
import { bindingControls } from "./request-shape.ts";

/** State of a conversation that the next thinking block is bound to. */
export interface Binding {
  readonly system: string;
  readonly tools: string;
  /** Hash of all content, without thinking. */
  readonly chain: string;
  /** Previous thinking block. Leading ones may be left out, but none in between. */
  readonly previous: string | null;
}

export interface DroppedThinking {
  readonly type: "thinking_dropped";
  readonly path: string;
  readonly reason: "prefix_binding_mismatch" | "model_binding_mismatch";
}

export interface CheckedThinking {
  readonly binding: Binding;
  readonly dropped: readonly DroppedThinking[];
}

export class ThinkingLedger {
  readonly #trustsForeign: boolean;
  readonly #sealer = new Sealer("Er");
  readonly #redacted = new Set<string>();
  readonly #paused = new Set<string>();

  constructor(trustsForeign: boolean) {
    this.#trustsForeign = trustsForeign;
  }

  sign(thinking: string, model: string, binding: Binding): string {
    return this.#sealer.seal({ model, text: digest(thinking), ...binding });
  }

  /** Remembers native blocks that the client must send back unchanged. */
  remember(block: JsonObject): void {
    if (block["type"] === "redacted_thinking") this.#redacted.add(asText(block["data"]));
  }

  rememberPaused(content: readonly JsonObject[]): void {
    this.#paused.add(digest(content.map(essence)));
  }

  /** True if the content ends with a reply that was paused. */
  isPaused(content: readonly JsonObject[]): boolean {
    return content.some((_, at) => this.#paused.has(digest(content.slice(at).map(essence))));
  }

  /** Throws a `Refusal` for thinking that it did not sign, or signed for another conversation. */
  check(
    request: MessagesRequest,
    turns: readonly Turn[],
    traits: ModelTraits,
    betas: readonly string[],
  ): CheckedThinking {
    const dropped: DroppedThinking[] = [];
    let binding = startOf(request);
    let isBroken = false;
    for (const turn of turns) {
      for (const { block, path } of turn.blocks) {
        if (!isThinking(block)) {
          binding = after(binding, turn.role, block);
          continue;
        }
        const problem = this.#problemOf(block, path, {
          binding,
          traits,
          isBroken,
          isLast: isLatest(turn, turns),
        });
        // Thinking that the model may not read was present all the same.
        if (problem !== "prefix_binding_mismatch") binding = after(binding, turn.role, block);
        if (problem === undefined) continue;
        if (problem === "prefix_binding_mismatch") {
          const behavior = request.thinking?.block_binding?.prefix_mismatch_behavior;
          if (behavior !== "drop_block") throw boundElsewhere(path, betas);
          isBroken = true;
        }
        dropped.push({ type: "thinking_dropped", path, reason: problem });
      }
    }
    return { binding, dropped };
  }

  #problemOf(
    block: JsonObject,
    path: string,
    context: {
      readonly binding: Binding;
      readonly traits: ModelTraits;
      readonly isBroken: boolean;
      readonly isLast: boolean;
    },
  ): DroppedThinking["reason"] | undefined {
    if (block["type"] === "redacted_thinking") {
      if (this.#trustsForeign || this.#redacted.has(asText(block["data"]))) return undefined;
      throw new Refusal(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
    }
    const signed = this.#sealer.open(asText(block["signature"]));
    if (signed === undefined) {
      if (this.#trustsForeign) return undefined;
      throw new Refusal(`${path}: Invalid \`signature\` in \`thinking\` block`);
    }
    if (signed["text"] !== digest(asText(block["thinking"]))) throw modified(path, context.isLast);
    const author = modelTraits(asText(signed["model"]));
    if (author !== undefined && !canRead(context.traits, author)) return "model_binding_mismatch";
    // Older models record nothing about the conversation.
    if (!context.traits.bindsPrefix || author?.bindsPrefix === false) return undefined;
    return context.isBroken || !isBoundTo(signed, context.binding)
      ? "prefix_binding_mismatch"
      : undefined;
  }
}

/** Returns the binding after one more block. */
export function after(binding: Binding, role: string, block: JsonObject): Binding {
  if (isThinking(block)) return { ...binding, previous: nameOf(block) };
  return { ...binding, chain: digest([binding.chain, role, essence(block)]) };
}

function startOf({ system = "", tools = [] }: MessagesRequest): Binding {
  const named = tools.map(
    (tool) => [asText(tool["name"]), without("cache_control", tool)] as const,
  );
  return {
    system: digest(without("cache_control", blocksOf(system))),
    // A set: the order of tools matters to the cache only.
    tools: digest(named.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, tool]) => tool)),
    chain: "",
    previous: null,
  };
}

function isBoundTo(signed: JsonObject, binding: Binding): boolean {
  const isSameThought = binding.previous === null || binding.previous === signed["previous"];
  return (
    isSameThought &&
    (["system", "tools", "chain"] as const).every((key) => signed[key] === binding[key])
  );
}

/** Content of a block, without markers and reply-only fields. */
function essence(block: JsonObject): JsonValue {
  const said = Object.entries(block).filter(([key]) => key !== "caller" && key !== "citations");
  return without("cache_control", Object.fromEntries(said));
}

function nameOf(block: JsonObject): string {
  return digest(block["signature"] ?? block["data"] ?? null);
}

function isLatest(turn: Turn, turns: readonly Turn[]): boolean {
  return turns.findLast(({ role }) => role === "assistant") === turn;
}

function modified(path: string, isLast: boolean): Refusal {
  return new Refusal(
    isLast
      ? `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`
      : `${path}: Invalid \`signature\` in \`thinking\` block`,
  );
}

function boundElsewhere(path: string, betas: readonly string[]): Refusal {
  const setting = betas.includes(bindingControls)
    ? ""
    : ` That setting requires the \`${bindingControls}\` value in the \`anthropic-beta\` header.`;
  return new Refusal(
    `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".${setting}`,
  );
}
