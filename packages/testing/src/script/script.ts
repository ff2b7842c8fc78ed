/** Script items for the content of a reply: text, calls and usage. */
import type { FinishReason, JsonValue, ProviderPart, Usage } from "@capstan/kernel";
import type { Fragment, ReplyUnderWay, ScriptItem } from "./script-item.ts";

/** Options of `callTool`. */
export interface CallToolOptions {
  /**
   * How the arguments arrive: in this many pieces (default 1; 0 sends them parsed, with the end of the call), or exactly as these texts,
   * which need not be the JSON of the input.
   */
  readonly argumentDeltas?: number | readonly string[];
  /** The vendor's id of the call; stored in the part's `providerData` as `{ id }`. */
  readonly id?: string;
  /** True if the provider runs the call itself, so that the reply does not end in `tool-calls`. */
  readonly providerExecuted?: boolean;
}

/** Scripts one reply of several fragments, in order. An array does the same. */
export function reply(...items: readonly ScriptItem[]): ScriptItem {
  return items;
}

/** Scripts one text part, in one delta or in these. */
export function say(text: string | readonly string[]): Fragment {
  const deltas = typeof text === "string" ? [text] : text;
  return {
    label: `say(${quote(deltas.join(""))})`,
    *play(reply) {
      // Only a start separates two adjacent parts of one kind; otherwise bare deltas suffice, as most vendors send them.
      if (reply.openKind === "text") yield { type: "text_start" };
      for (const delta of deltas) yield { type: "text_delta", delta };
    },
  };
}

/**
 * Scripts one thinking part, in one delta or in these. The signature is stored in its
 * `providerData` unchanged.
 */
export function think(
  thinking: string | readonly string[],
  options: { readonly signature?: JsonValue } = {},
): Fragment {
  const deltas = typeof thinking === "string" ? [thinking] : thinking;
  const { signature } = options;
  return {
    label: `think(${quote(deltas.join(""))})`,
    *play(reply) {
      if (reply.openKind === "thinking") yield { type: "thinking_start" };
      for (const delta of deltas) yield { type: "thinking_delta", delta };
      if (signature !== undefined) yield { type: "thinking_end", providerData: signature };
    },
  };
}

/** Scripts a refusal of the model, in one delta or in these. */
export function refuse(text: string | readonly string[]): Fragment {
  const deltas = typeof text === "string" ? [text] : text;
  return {
    label: `refuse(${quote(deltas.join(""))})`,
    *play() {
      for (const delta of deltas) yield { type: "refusal_delta", delta };
    },
  };
}

/** Scripts a call of a tool. */
export function callTool(
  name: string,
  input: JsonValue = {},
  options: CallToolOptions = {},
): Fragment {
  const { argumentDeltas = 1 } = options;
  const isParsed = argumentDeltas === 0;
  const deltas =
    typeof argumentDeltas === "number"
      ? splitEvenly(JSON.stringify(input), argumentDeltas)
      : argumentDeltas;
  return {
    label: `callTool(${quote(name)})`,
    *play(reply) {
      const index = reply.nextIndex;
      yield* startOfCall(reply, name, deltas, options);
      yield { type: "toolcall_end", index, ...(isParsed && { input }) };
    },
  };
}

/** Scripts a call of a tool with this argument text, JSON or not. */
export function callToolRaw(
  name: string,
  argumentText: string,
  options: Omit<CallToolOptions, "argumentDeltas"> = {},
): Fragment {
  return {
    ...callTool(name, {}, { ...options, argumentDeltas: [argumentText] }),
    label: `callToolRaw(${quote(name)})`,
  };
}

/** Scripts a call that is truncated inside its arguments. By default, its reply ends in `length`. */
export function cutToolCall(name: string, argumentText: string): Fragment {
  return {
    label: `cutToolCall(${quote(name)})`,
    play: (reply) => startOfCall(reply, name, [argumentText], {}),
  };
}

/**
 * Scripts the token counts of a reply. A reply without it leaves them unknown, unless the
 * provider has a default.
 */
export function usage(counts: Usage): Fragment {
  return parts([{ type: "usage", usage: counts }], "usage(…)");
}

/** Ends the reply for this reason. Without it a reply ends in `tool-calls` if it has calls, else in `stop`. */
export function finish(
  reason: FinishReason,
  options: { readonly usage?: Usage; readonly metadata?: JsonValue } = {},
): Fragment {
  return parts([{ type: "finish", reason, ...options }], `finish(${quote(reason)})`);
}

/** Ends the reply in the middle of a longer one: the next request continues it. */
export function pause(): Fragment {
  return { ...finish("pause"), label: "pause()" };
}

/** Scripts a keep-alive without content. */
export function ping(): Fragment {
  return parts([{ type: "ping" }], "ping()");
}

/** Scripts a block that only its origin understands. */
export function native(data: JsonValue): Fragment {
  return parts([{ type: "native", data }], "native(…)");
}

/** Scripts exactly these parts. */
export function parts(list: readonly ProviderPart[], label = "parts(…)"): Fragment {
  return { label, play: () => list };
}

function* startOfCall(
  reply: ReplyUnderWay,
  name: string,
  deltas: readonly string[],
  options: CallToolOptions,
): Generator<ProviderPart> {
  const index = reply.nextIndex;
  yield {
    type: "toolcall_start",
    index,
    name,
    ...(options.providerExecuted === true && { isProviderExecuted: true }),
    ...(options.id !== undefined && { providerData: { id: options.id } }),
  };
  for (const delta of deltas) yield { type: "toolcall_delta", index, delta };
}

function splitEvenly(text: string, count: number): string[] {
  if (count <= 0) return [];
  const size = Math.max(1, Math.ceil(text.length / count));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}
