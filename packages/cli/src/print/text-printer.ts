/** Prints a session as text: the model's replies on stdout, its actions on stderr. */
import type { AssistantPart, LivePart } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { Io, Output } from "../process/io.ts";
import { toDim, toOneLine, toPrintable } from "./terminal-text.ts";
import { describeCall, describeResult, todoLines } from "./describe-call.ts";
import { describeUsage } from "./describe-usage.ts";
import { createNotes } from "./notes.ts";
import { noticeIn } from "./notice.ts";
import type { Outcome, Printer } from "./printer.ts";

interface TextPrinterOptions {
  /** True to keep everything but the last answer off stdout: it goes to stderr. */
  readonly isAnswerOnly?: boolean;
}

export function createTextPrinter(
  io: Pick<Io, "stdout" | "stderr" | "env">,
  { isAnswerOnly = false }: TextPrinterOptions = {},
): Printer {
  const { stderr, env } = io;
  const stdout = isAnswerOnly ? stderr : io.stdout;
  const refused = new Set<string>();
  const calls = new Map<string, string>();
  const tell = createNotes(io);
  let sessionId = "";
  let hasSpoken = false;
  let isMidLine = false;
  /** Text of the current reply that was already printed. */
  let said = "";

  const say = (text: string): void => {
    if (text === "") return;
    stdout.write(stdout.isTTY ? toPrintable(text) : text);
    hasSpoken = true;
    isMidLine = !text.endsWith("\n");
  };
  const endLine = (): void => {
    if (isMidLine) say("\n");
  };
  const show = (text: string): void => {
    endLine();
    stderr.write(`${toDim(toOneLine(text), stderr, env)}\n`);
  };
  const note = (text: string): void => {
    endLine();
    tell(text);
  };
  /** A late subscriber, or one that follows another process, has missed some of the text. */
  const catchUp = (text: string): void => {
    if (!text.startsWith(said)) return;
    if (said === "" && text !== "" && hasSpoken) say("\n");
    say(text.slice(said.length));
    said = text;
  };

  const onEvent = (event: SessionEvent): void => {
    switch (event.type) {
      case "message_start":
        said = "";
        return;
      case "text_start":
        if (hasSpoken) say("\n");
        return;
      case "text_delta":
        said += event.delta;
        return say(event.delta);
      case "snapshot":
        return catchUp(textOf(event.message?.content ?? []));
      case "message_end":
        if (event.message.role === "user") {
          const { changes = [] } = noticeIn(event.message) ?? {};
          return changes.forEach((change) => note(`told the model: ${change}`));
        }
        if (event.message.role !== "assistant") return;
        catchUp(textOf(event.message.content));
        return endLine();
      case "text_end":
      case "turn_end":
        return endLine();
      case "tool_execution_start": {
        const call = describeCall(event);
        calls.set(event.toolCallId, call);
        return show(`• ${call}`);
      }
      case "tool_execution_end": {
        if (refused.has(event.toolCallId)) return;
        const call = calls.get(event.toolCallId) ?? event.toolName;
        show(`  ${call} → ${describeResult(event)}`);
        return todoLines(event).forEach((line) => show(`    ${line}`));
      }
      case "attempt_discarded":
        return note(`${describeWait(event.delayMs)}: ${event.error.message}`);
      case "compaction_end":
        return note(
          `context compacted: ${event.before.toLocaleString("en-US")} → ${event.after.toLocaleString("en-US")} tokens`,
        );
      default:
        // Other events are not shown as text.
        return undefined;
    }
  };

  return {
    start: (session) => {
      sessionId = session.id;
    },
    onEvent,
    note,
    refused: (call, why) => {
      refused.add(call.toolCallId);
      note(`refused: ${describeCall(call)} (${why})`);
    },
    end: (outcome) => {
      endLine();
      if (isAnswerOnly) writeAnswer(io.stdout, outcome);
      const why = describeEnd(outcome);
      if (why !== undefined) note(why);
      const took = describeUsage(outcome);
      note(`${took === "" ? "" : `${took}; `}session ${sessionId}`);
    },
  };
}

function writeAnswer({ isTTY, write }: Output, { status, text }: Outcome): void {
  if (status !== "completed" || text === "") return;
  const answer = isTTY ? toPrintable(text) : text;
  write(answer.endsWith("\n") ? answer : `${answer}\n`);
}

function describeWait(delayMs: number): string {
  return delayMs < 1_000 ? "retrying" : `waiting ${Math.round(delayMs / 1_000)} s, then retrying`;
}

function textOf(parts: readonly (AssistantPart | LivePart)[]): string {
  return parts
    .map((part) => (part.type === "text" || part.type === "refusal" ? part.text : ""))
    .join("");
}

/** Every further turn would end the same way. */
const noRoom =
  ". The conversation is too long for this model: start a new session, or choose a model with a larger context window with --model";

function describeEnd({ status, finishReason, error }: Outcome): string | undefined {
  switch (status) {
    case "aborted":
      return "interrupted";
    case "error":
      return `the turn failed: ${error?.message ?? "no reason was given"}`;
    case "awaiting_tool_execution":
      return "the turn is waiting for answers from other programs";
    case "completed":
      if (finishReason === "stop") return undefined;
      return `the turn ended early: ${finishReason}${finishReason === "context-exhausted" ? noRoom : ""}`;
    default:
      return status satisfies never;
  }
}
