/** Shows the events of a turn: what the model says on stdout, what it does on stderr. */
import type { AgentEvent, EventEmitter, JsonValue, ToolContent } from "@capstan/kernel";
import type { Io } from "./io.ts";
import { toDim, toOneLine, toPrintable } from "./terminal-text.ts";

const maxInputLength = 60;
const maxReasonLength = 200;

export function createPrinter({
  stdout,
  stderr,
  env,
}: Pick<Io, "stdout" | "stderr" | "env">): EventEmitter {
  const calls = new Map<string, string>();
  let hasSpoken = false;
  let isMidLine = false;

  const say = (text: string): void => {
    if (text === "") return;
    stdout.write(stdout.isTTY ? toPrintable(text) : text);
    hasSpoken = true;
    isMidLine = !text.endsWith("\n");
  };
  const endLine = (): void => {
    if (isMidLine) say("\n");
  };
  const note = (text: string): void => {
    endLine();
    stderr.write(`${toDim(toOneLine(text), stderr, env)}\n`);
  };

  return (event: AgentEvent): void => {
    switch (event.type) {
      case "text_delta":
        return say(event.delta);
      case "text_start":
        if (hasSpoken) say("\n");
        return undefined;
      case "text_end":
      case "turn_end":
        return endLine();
      case "tool_execution_start": {
        const call = `${event.toolName} ${toWords(event.input)}`.trimEnd();
        calls.set(event.toolCallId, call);
        return note(`• ${call}`);
      }
      case "tool_execution_end": {
        const call = calls.get(event.toolCallId) ?? event.toolName;
        const outcome = event.isError ? `failed: ${reasonIn(event.output)}` : sizeOf(event.output);
        return note(`  ${call} → ${outcome}`);
      }
      default:
        // The rest is for other readers.
        return undefined;
    }
  };
}

/** The values of an input without their names: short, and clear enough for somebody who watches. */
function toWords(input: JsonValue): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [input];
  const text = values
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");
  return text.length > maxInputLength ? `${text.slice(0, maxInputLength)}…` : text;
}

function reasonIn(output: ToolContent): string {
  return textOf(output).slice(0, maxReasonLength);
}

function sizeOf(output: ToolContent): string {
  const text = textOf(output);
  const lineCount = text.replace(/\n$/, "").split("\n").length;
  return `${lineCount} ${lineCount === 1 ? "line" : "lines"}, ${Buffer.byteLength(text)} bytes`;
}

function textOf(output: ToolContent): string {
  if (typeof output === "string") return output;
  return output.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
