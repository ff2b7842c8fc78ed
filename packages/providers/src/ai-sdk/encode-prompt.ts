/** Encodes the conversation in a form every model accepts, whatever the transcript looks like. */
import type { ProviderRequest } from "@capstan/kernel";
import type { TargetOrigin } from "../wire/protocol.ts";
import type { CallIdShape } from "../projection/call-ids.ts";
import { CallIds } from "../projection/call-ids.ts";
import { nothingToSay } from "../projection/nothing-to-say.ts";
import { readableOf } from "../projection/readable-origins.ts";
import { isBlankText } from "../projection/shown-media.ts";
import { forModel } from "./encode-media.ts";
import { MessageWriter } from "./encode-messages.ts";
import { vendorIdOf } from "./encode-reply.ts";
import { targetOf } from "./origin.ts";
import type { AiSdkMessage } from "./prompt.ts";

const callIdShape: CallIdShape = { character: /[a-zA-Z0-9_-]/, maxLength: 40 };

/** Call id shapes that differ, by prefix of the provider's name. */
const callIdShapes: Readonly<Record<string, CallIdShape>> = {
  mistral: { character: /[a-zA-Z0-9]/, maxLength: 9, minLength: 9 },
};

export function encodePrompt(
  { messages, tools, options }: ProviderRequest,
  target: TargetOrigin,
): AiSdkMessage[] {
  const [vendor = ""] = target.provider.split(".");
  const shape = Object.hasOwn(callIdShapes, vendor) ? callIdShapes[vendor] : undefined;
  const callIds = new CallIds(messages, shape ?? callIdShape, (call, { origin }) =>
    readableOf(origin, target).native ? vendorIdOf(call) : undefined,
  );
  const declared = new Set(tools.map(({ name }) => name));
  const writer = new MessageWriter(messages, {
    readableOf: (origin) => readableOf(origin, target),
    media: forModel(options.modelFacts),
    toolCallId: ({ id }) => callIds.wireId(id),
    toolName: (name) => (declared.has(name) ? name : toUsableName(name)),
  });
  for (const message of messages) writer.add(message);
  writer.settle();
  const last = messages.at(-1);
  const isPaused = last?.role === "assistant" && last.stopReason === "pause";
  const turns = inTurns(writer.messages, isPaused);
  if (turns.length === 0) throw nothingToSay(targetOf(target));
  return [...instructions(options.systemPrompt), ...turns];
}

/** The model may have called a tool that does not exist, under a name vendors reject. */
function toUsableName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
}

function instructions(systemPrompt: string | undefined): AiSdkMessage[] {
  if (systemPrompt === undefined || isBlankText(systemPrompt)) return [];
  return [{ role: "system", content: systemPrompt }];
}

/** Puts system messages first and makes the user's side begin and end the conversation: models differ in what else they accept. */
function inTurns(messages: readonly AiSdkMessage[], isPaused: boolean): AiSdkMessage[] {
  const start = messages.findIndex(({ role }) => role !== "system");
  if (start === -1) return [];
  const turns = messages.slice(start).map(fromUser);
  const opening = "[The beginning of the conversation has been omitted.]";
  const isEnd = !isPaused || !mayBeContinued(turns.at(-1));
  return [
    ...messages.slice(0, start),
    ...(turns[0]?.role === "assistant" ? [say(opening)] : []),
    ...turns,
    ...(turns.at(-1)?.role === "assistant" && isEnd ? [say("Continue.")] : []),
  ];
}

/** In the middle of a conversation, a system message is sent as part of the user's side. */
function fromUser(message: AiSdkMessage): AiSdkMessage {
  return message.role === "system" ? say(`<system>${message.content}</system>`) : message;
}

function say(text: string): AiSdkMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** A model can continue a reply it paused for its vendor; newer models reject a reply that ends in incomplete text. */
function mayBeContinued(message: AiSdkMessage | undefined): boolean {
  const last = message?.role === "assistant" ? message.content.at(-1) : undefined;
  const isPlain = last?.type === "text" && last.providerOptions === undefined;
  return last !== undefined && !isPlain;
}
