/** `capstan sessions show`: one session, one line per message. */
import type { ChatMessage } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import { todosOf } from "@capstan/toolset";
import type { Io } from "../process/io.ts";
import { describeCall, toTodoLines } from "../print/describe-call.ts";
import { noteLost } from "./sessions-repair.ts";
import { factsOf, promptOf, titleOf } from "../session/session-facts.ts";
import { findById, readReadable } from "../session/stored-sessions.ts";
import { toOneLine } from "../print/terminal-text.ts";

const maxLineLength = 100;

export async function show(io: Io, store: SessionRepository, id: string): Promise<void> {
  const stored = await readReadable(store, await findById(store, id));
  noteLost(io, stored);
  const { messages } = stored.fold.transcript;
  const facts = Object.entries({ title: titleOf(stored), ...factsOf(stored) });
  const lines = [
    ...facts.map(([name, value]) => `${name.padEnd(9)} ${value}`),
    "",
    ...promptLines(promptOf(stored)),
    ...messages.flatMap(linesOf),
    ...toTodoLines(todosOf(messages)),
  ];
  for (const line of lines) io.stdout.write(`${toOneLine(line)}\n`);
}

/** All lines: what a model is told beside its user's messages must not be hidden. */
function promptLines(instructions: string | undefined): readonly string[] {
  if (instructions === undefined) return [];
  const lines = instructions.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, index) => `${index === 0 ? "system     " : "           "}${line}`);
}

function linesOf(message: ChatMessage): readonly string[] {
  switch (message.role) {
    case "user":
      return [short(`user       ${textOf(message.content)}`)];
    case "assistant": {
      const calls = message.content.flatMap((part) =>
        part.type === "tool_call"
          ? [short(`           • ${describeCall({ toolName: part.name, input: part.input })}`)]
          : [],
      );
      const text = textOf(message.content);
      return text === "" ? calls : [short(`assistant  ${text}`), ...calls];
    }
    case "tool":
      if (message.isDenied === true) return [short(`           ${textOf(message.content)}`)];
      return message.isError ? [short(`           failed: ${textOf(message.content)}`)] : [];
    case "system":
    case "custom":
      return [];
    default:
      return message satisfies never;
  }
}

type Content = Exclude<ChatMessage, { readonly role: "custom" }>["content"];

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (part.type === "text" || part.type === "refusal") return part.text;
      return part.type === "image" || part.type === "document" ? `[${part.type}]` : "";
    })
    .join(" ")
    .trim();
}

function short(line: string): string {
  const text = toOneLine(line);
  return text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;
}
