/** A session as text: what the model says on stdout, what it does on stderr. */
import type { AgentEvent, AssistantPart, LivePart } from "@capstan/kernel";
import type { Io } from "../process/io.ts";
import { toDim, toOneLine, toPrintable } from "./terminal-text.ts";
import { describeCall, describeResult, todoLines } from "./describe-call.ts";
import { describeUsage } from "./describe-usage.ts";
import { createNotes } from "./notes.ts";
import type { Outcome, Printer } from "./printer.ts";

export function createTextPrinter(io: Pick<Io, "stdout" | "stderr" | "env">): Printer {
  const { stdout, stderr, env } = io;
  const calls = new Map<string, string>();
  const tell = createNotes(io);
  let sessionId = "";
  let hasSpoken = false;
  let isMidLine = false;
  /** What was said of the reply that is being written. */
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
  /** Whoever comes late, or follows what another process does, has missed some of it. */
  const catchUp = (text: string): void => {
    if (!text.startsWith(said)) return;
    if (said === "" && text !== "" && hasSpoken) say("\n");
    say(text.slice(said.length));
    said = text;
  };

  const onEvent = (event: AgentEvent): void => {
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
        const call = calls.get(event.toolCallId) ?? event.toolName;
        show(`  ${call} → ${describeResult(event)}`);
        return todoLines(event).forEach((line) => show(`    ${line}`));
      }
      case "attempt_discarded":
        return note(`the reply is asked for again: ${event.error.message}`);
      case "compaction_end":
        return note(
          `what was said so far is summarized for the model: ${event.before} tokens are ${event.after} now`,
        );
      default:
        // The rest is for other readers.
        return undefined;
    }
  };

  return {
    start: (session) => {
      sessionId = session.id;
    },
    onEvent,
    note,
    end: (outcome) => {
      endLine();
      const why = describeEnd(outcome);
      if (why !== undefined) note(why);
      const took = describeUsage(outcome);
      note(`${took === "" ? "" : `${took}; `}session ${sessionId}`);
    },
  };
}

function textOf(parts: readonly (AssistantPart | LivePart)[]): string {
  return parts
    .map((part) => (part.type === "text" || part.type === "refusal" ? part.text : ""))
    .join("");
}

/** Every further turn would end in the same way. */
const noRoom =
  ", as what was said is too long for this model: begin a new session, or name a model with a larger context with --model";

function describeEnd({ status, finishReason, error }: Outcome): string | undefined {
  switch (status) {
    case "aborted":
      return "interrupted";
    case "error":
      return `the turn failed: ${error?.message ?? "no reason was given"}`;
    case "awaiting_tool_execution":
      return "the turn waits for answers of others";
    case "completed":
      if (finishReason === "stop") return undefined;
      return `the turn ended early: ${finishReason}${finishReason === "context-exhausted" ? noRoom : ""}`;
    default:
      return status satisfies never;
  }
}
