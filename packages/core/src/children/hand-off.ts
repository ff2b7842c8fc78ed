/** Hands a conversation over to another agent: recorded, with the messages that the other agent is not shown. */
import type { AssistantPart, ChatMessage, ToolCallPart, ToolOutput } from "@capstan/kernel";
import type { MaybePromise, OwnedBody } from "@capstan/log";
import type { SessionLog } from "../owner/session-log.ts";
import type { SessionHost } from "../session/session-host.ts";
import type { HandoffCall } from "../tools/other-agents.ts";
import { fail, ok } from "../tools/tool-output.ts";

interface HandoffOptions {
  readonly host: Pick<SessionHost, "agent">;
  readonly log: SessionLog;
  append(bodies: readonly OwnedBody[]): MaybePromise<unknown>;
}

export async function handOff(
  { log, host, append }: HandoffOptions,
  { agent, filter, context }: HandoffCall,
): Promise<ToolOutput> {
  const { toolCallId, turnId } = context;
  // Throws `unknown_agent`.
  const { name: to } = host.agent(agent);
  const { fold } = log;
  const owner = fold.agent;
  // A process may have ended after it recorded the handoff.
  if (fold.handoff?.toolCallId === toolCallId) return ok(isWith(to));
  const calls = fold.transcript.step?.message.content ?? [];
  const isSecond = calls.some((part) => isCall(part) && part.id === fold.handoff?.toolCallId);
  if (isSecond) {
    return fail(`Not handed over: the conversation was just given to "${owner}".`);
  }
  // Almost always they are there, and calls of the same step are handled in order.
  if (fold.transcript.leftOut > 0) await log.complete();
  const messages = fold.transcript.list;
  const hidden = filter === undefined ? [] : hiddenBy(messages, filter(messages));
  const entry = { type: "handed_off", turnId, toolCallId, agent: to } as const;
  await append([hidden.length === 0 ? entry : { ...entry, hidden }]);
  return ok(isWith(to));
}

function isWith(agent: string): string {
  return `The conversation is now with "${agent}".`;
}

/** Ids of the messages that are not kept. A call and its results are hidden together, because no provider accepts one without the other. */
function hiddenBy(messages: readonly ChatMessage[], kept: readonly ChatMessage[]): string[] {
  const shown = new Set(kept.map(({ id }) => id));
  const hidden = new Set(messages.flatMap(({ id }) => (shown.has(id) ? [] : [id])));
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role !== "assistant" || !message.content.some(isCall)) continue;
    const end = messages.findIndex((other, at) => at > index && other.role !== "tool");
    const step = messages.slice(index, end === -1 ? undefined : end);
    // The step that hands over has no results yet, and stays.
    if (index === messages.length - 1) hidden.delete(message.id);
    else if (step.some(({ id }) => hidden.has(id))) for (const { id } of step) hidden.add(id);
  }
  return [...hidden];
}

function isCall(part: AssistantPart): part is ToolCallPart {
  return part.type === "tool_call";
}
