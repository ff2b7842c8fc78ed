/** A world whose model has little room, and what can be seen of a session in it. */
import type { AgentInit, Session } from "@capstan/core";
import type { ChatMessage, ToolContract, Usage } from "@capstan/kernel";
import type { EntryOf, EntryType } from "@capstan/log";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { reply, say, scriptedProvider, usage } from "@capstan/testing";
import type { World } from "../world.ts";
import { createWorld } from "../world.ts";

export interface SmallWorld extends World {
  readonly provider: ScriptedProvider;
  session(id?: string): Session;
  /** The entries of these types. */
  entriesOf<Type extends EntryType>(session: Session, ...types: Type[]): EntryOf<Type>[];
}

export interface SmallWorldOptions {
  readonly contextWindow?: number;
  /** Of every reply that reports none. */
  readonly usage?: Usage;
  readonly tools?: readonly ToolContract[];
  readonly settings?: Partial<AgentInit>;
}

/** 10,000 tokens fit, and 8,000 are too many. */
export function smallWorld(
  script: readonly ScriptItem[],
  { contextWindow = 10_000, usage: counts, tools = [], settings }: SmallWorldOptions = {},
): SmallWorld {
  const provider = scriptedProvider([...script], {
    contextWindow,
    ...(counts !== undefined && { usage: counts }),
  });
  const world = createWorld([], tools, {
    model: provider,
    outputs: { readTool: false },
    ...settings,
  });
  return {
    ...world,
    provider,
    session: (id) =>
      world.host().createSession({ agent: "helper", ...(id !== undefined && { id }) }),
    entriesOf: <Type extends EntryType>({ id }: Session, ...types: Type[]) =>
      world
        .entries(id)
        .filter((entry): entry is EntryOf<Type> => types.some((type) => type === entry.type)),
  };
}

/** A reply for which the provider reports that so much of its window is in use. */
export function full(text: ScriptItem, inputTokens: number): ScriptItem {
  return reply(text, usage({ inputTokens, outputTokens: 10 }));
}

/** So many words that a summary is worth it. */
export function long(text: string): string {
  return `${text}${" word".repeat(500)}`;
}

/** The reply to the request for a summary. */
export const summary: ScriptItem = reply(
  say("They greeted each other."),
  usage({ inputTokens: 900, outputTokens: 20 }),
);

/** Each message of a request, in a few words. */
export function shown(messages: readonly ChatMessage[]): string[] {
  return messages.map((message) => `${message.role}: ${textOf(message)}`);
}

function textOf(message: ChatMessage): string {
  if (message.role === "custom") return message.kind;
  if (typeof message.content === "string") {
    return message.content
      .replace(/^This is a summary of.*\n\n/, "[summary] ")
      .replaceAll(" word", "");
  }
  return message.content
    .map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "tool_call" ? `[${part.name}]` : `[${part.type}]`;
    })
    .join("");
}
