/** Describes tool calls and their results in one line. */
import type { AgentEventBody, JsonValue, ToolContent } from "@capstan/kernel";
import type { Todo } from "@capstan/toolset";

const maxInputLength = 60;
const maxReasonLength = 200;
const marks = { pending: "[ ]", in_progress: "[>]", completed: "[x]" } as const;

type CallEnd = Extract<AgentEventBody, { readonly type: "tool_execution_end" }>;

/** Returns the tool's name and the input's values without their keys. */
export function describeCall({
  toolName,
  input,
}: {
  readonly toolName: string;
  readonly input: JsonValue;
}): string {
  const values = typeof input === "object" && input !== null ? Object.values(input) : [input];
  const text = values.map(toWord).join(" ");
  const short = text.length > maxInputLength ? `${text.slice(0, maxInputLength)}…` : text;
  return `${toolName} ${short}`.trimEnd();
}

function toWord(value: JsonValue): string {
  if (typeof value === "string") return value;
  // A list of edits or todos says little in one line; the result says more.
  return Array.isArray(value) ? `[${value.length}]` : JSON.stringify(value);
}

export function describeResult(end: CallEnd): string {
  if (end.isDenied === true) return textOf(end.output).slice(0, maxReasonLength);
  if (end.isError) return `failed: ${textOf(end.output).slice(0, maxReasonLength)}`;
  return changeIn(fieldOf(end, "diff")) ?? sizeOf(end.output);
}

/** Lines of the todo list, if the call wrote one. */
export function todoLines(end: CallEnd): readonly string[] {
  const todos = end.toolName === "write_todos" && !end.isError ? fieldOf(end, "todos") : undefined;
  // The tool of this name has validated them.
  return toTodoLines(Array.isArray(todos) ? todos : []);
}

export function toTodoLines(todos: readonly Todo[]): readonly string[] {
  return todos.map(({ content, status }) => `${marks[status]} ${content}`);
}

/** Counts added and removed lines in a unified diff. */
function changeIn(diff: JsonValue | undefined): string | undefined {
  if (typeof diff !== "string") return undefined;
  // The first two lines name the file.
  const lines = diff.split("\n").slice(2);
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  return `+${added} −${removed}`;
}

function fieldOf({ details }: CallEnd, name: string): JsonValue | undefined {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return undefined;
  return Object.entries(details).find(([key]) => key === name)?.[1];
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
