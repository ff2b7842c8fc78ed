/** Plays one item of a script as the parts of one provider call. */
import type { FinishReason, Origin, ProviderPart, Usage } from "@capstan/kernel";
import type { Fragment, ReplyUnderWay, ScriptItem } from "./script-item.ts";

export interface ReplyDefaults {
  /** Reported with the end of every reply that reports no usage itself. */
  readonly usage?: Usage | undefined;
  /** Stated by a `start` part before the first part of every reply. */
  readonly origin?: Origin | undefined;
}

/** Yields the parts of the item, and a `finish` unless the item ended the stream itself. */
export async function* playReply(
  item: ScriptItem,
  reply: ReplyUnderWay,
  defaults: ReplyDefaults,
): AsyncGenerator<ProviderPart, void> {
  let start = defaults.origin && ({ type: "start", origin: defaults.origin } as const);
  for await (const part of play(item, reply)) {
    if (start !== undefined && part.type !== "start") yield start;
    start = undefined;
    yield part;
  }
  if (reply.isOver || reply.hasFinished) return;
  if (start !== undefined) yield start;
  const { usage } = defaults;
  yield {
    type: "finish",
    reason: defaultReason(reply),
    ...(usage !== undefined && !reply.hasUsage && { usage }),
  };
}

async function* play(item: ScriptItem, reply: ReplyUnderWay): AsyncGenerator<ProviderPart, void> {
  if (typeof item === "function") {
    yield* play(await item(reply.request), reply);
    return;
  }
  if (!isFragment(item)) {
    for (const inner of item) yield* play(inner, reply);
    return;
  }
  // The reader may have left while the previous fragment waited.
  if (reply.isOver) return;
  for await (const part of item.play(reply)) {
    reply.note(part);
    yield part;
  }
}

function defaultReason(reply: ReplyUnderWay): FinishReason {
  if (reply.hasCutCall) return "length";
  return reply.hasToolCalls ? "tool-calls" : "stop";
}

export function isFragment(item: ScriptItem): item is Fragment {
  return "play" in item;
}
