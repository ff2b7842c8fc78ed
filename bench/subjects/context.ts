/** What a session does for its context between two requests: what the log says, what makes room, what is shown. For B9 only. */
import type { AssistantMessage, ChatMessage, ToolMessage } from "@capstan/kernel";
import type { Entry } from "@capstan/log";
import { SessionFold } from "@capstan/log";
import { outputsToEvict } from "../../packages/core/src/outputs/evictions.ts";
import { resolveLimits } from "../../packages/core/src/outputs/output-limits.ts";
import { ContextProjection } from "../../packages/core/src/context/projection.ts";
import type { Subject } from "../subject.ts";

export const subject: Subject = {
  name: "context",
  goals: { B9: { ratio: 1.5 } },
  growContext,
};

const limits = resolveLimits(undefined, undefined);
const ephemeral: ReadonlyMap<string, number> = new Map([["look", 1_000_000]]);
const turnId = "t";

function growContext(messages: number, steps: number): number {
  const fold = new SessionFold();
  let seq = 0;
  const envelope = () => ({ v: 1, id: `e${++seq}`, seq, at: 0 });
  const apply = (entry: Entry): void => fold.apply(entry);
  const history = historyOf(messages);
  apply({ ...envelope(), type: "created", agent: "agent" });
  apply({ ...envelope(), type: "history_loaded", messages: history });
  // Something was left out, long ago.
  apply({ ...envelope(), type: "eviction", turnId, toolCallIds: ["c0"] });
  const projection = new ContextProjection(fold.context);
  const added: ChatMessage[] = [];
  for (let number = 1; number <= steps; number++) {
    const [message, output] = toStep(messages + number);
    const step = { turnId, step: number };
    const { toolCallId, toolName, content } = output;
    const evicted = outputsToEvict(fold.outputs, ephemeral, fold.transcript.lastReplyIndex, limits);
    if (evicted.length > 0) throw new Error("Something makes room where nothing has to");
    projection.show({ history, input: [], added });
    apply({ ...envelope(), type: "attempt", ...step, attempt: 1, messageId: message.id });
    apply({ ...envelope(), type: "message", ...step, message });
    const result = { isError: false, output: content };
    apply({ ...envelope(), type: "tool_result", ...step, toolCallId, toolName, result });
    added.push(message, output);
  }
  return projection.show({ history, input: [], added }).length;
}

const histories = new Map<number, readonly ChatMessage[]>();

function historyOf(messages: number): readonly ChatMessage[] {
  let history = histories.get(messages);
  if (history === undefined) {
    history = Array.from({ length: messages / 2 }, (_, step) => toStep(step)).flat();
    histories.set(messages, history);
  }
  return history;
}

function toStep(number: number): [AssistantMessage, ToolMessage] {
  const id = `c${number}`;
  const call = { type: "tool_call", id, name: "look", input: { place: number } } as const;
  return [
    { role: "assistant", id: `a${number}`, content: [call], stopReason: "tool-calls" },
    { role: "tool", id, toolCallId: id, toolName: "look", content: "Nothing", isError: false },
  ];
}
