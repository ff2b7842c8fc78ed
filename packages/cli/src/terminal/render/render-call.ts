/** Lines of a tool call: its name and input, its output or diff, its todos. */
import type { JsonValue } from "@capstan/kernel";
import type { ChildShown } from "@capstan/log";
import type { Todo } from "@capstan/toolset";
import { toTodoLines } from "../../print/describe-call.ts";
import type { CallBlock } from "../conversation/blocks.ts";
import type { Typesetter } from "../screen/contracts.ts";
import { renderDiff } from "./render-diff.ts";
import { safeText } from "./safe-text.ts";
import type { Theme } from "./theme.ts";

/** Lines of an output that are shown: the last ones while it runs, and of a failure; the first ones of a result. */
const maxOutputLines = 8;
const maxDiffLines = 40;

interface Tools {
  readonly theme: Theme;
  readonly typesetter: Typesetter;
}

export function renderCall(call: CallBlock, width: number, tools: Tools): readonly string[] {
  const { theme, typesetter } = tools;
  const { toolName, child } = call;
  // A tool may have another name than its agent.
  const agent =
    child === undefined || child.agent === toolName ? "" : ` (${safeText(child.agent)})`;
  const head = `${markOf(call, theme)} ${theme.strong(safeText(toolName))}${agent} ${inputOf(call)}`;
  const inner = Math.max(1, width - 2);
  return [
    typesetter.cut(head.trimEnd(), width),
    ...bodyOf(call, inner, tools).map((line) => `  ${line}`),
  ];
}

function markOf({ state }: Pick<CallBlock, "state">, theme: Theme): string {
  switch (state) {
    case "writing":
    case "waiting":
      return theme.dim("○");
    case "running":
      return theme.warning("●");
    case "done":
      return theme.success("●");
    case "failed":
    case "denied":
      return theme.error("✗");
    default:
      return state satisfies never;
  }
}

/** The input in one line, with the names of fields that do not speak for themselves. */
function inputOf({ input }: Pick<CallBlock, "input">): string {
  if (input === undefined) return "…";
  if (typeof input !== "object" || input === null || Array.isArray(input)) return oneLine(input);
  const words = Object.entries(input).flatMap(([name, value]) => {
    if (["command", "path", "pattern", "url"].includes(name)) return [oneLine(value)];
    if (["content", "edits", "todos", "old", "new"].includes(name)) return [];
    return [`${name}: ${oneLine(value)}`];
  });
  return words.join("  ");
}

function oneLine(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return safeText(text).replaceAll(/\s*\n\s*/g, " ⏎ ");
}

function bodyOf(call: CallBlock, width: number, tools: Tools): readonly string[] {
  const { theme } = tools;
  const { state, output, child } = call;
  const isOver = state === "done" || state === "failed" || state === "denied";
  if (child !== undefined && !isOver) return renderChild(child, width, tools);
  if (state === "writing" || state === "waiting") return [];
  if (state === "running") return lastLines(output, width, tools);
  const folded =
    child === undefined || child.callCount === 0 ? [] : [theme.dim(describeCalls(child))];
  return [...folded, ...resultOf(call, width, tools)];
}

function resultOf(call: CallBlock, width: number, tools: Tools): readonly string[] {
  const { theme } = tools;
  const { state, output } = call;
  if (state === "failed") return lastLines(output, width, tools).map((line) => theme.error(line));
  if (state === "denied") return firstLines(output, width, tools);
  const todos = todosOf(call);
  if (todos.length > 0) {
    return toTodoLines(todos).map((line) => tools.typesetter.cut(safeText(line), width));
  }
  const diff = fieldOf(call.details, "diff");
  if (typeof diff === "string") return renderDiff(diff, width, maxDiffLines, tools);
  return firstLines(output, width, tools);
}

function todosOf({ toolName, details }: CallBlock): readonly Todo[] {
  const todos = toolName === "write_todos" ? fieldOf(details, "todos") : undefined;
  // The tool of this name has validated them.
  return Array.isArray(todos) ? (todos as readonly Todo[]) : [];
}

function fieldOf(details: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return undefined;
  return Object.entries(details).find(([key]) => key === name)?.[1];
}

function linesOf(output: string): readonly string[] {
  const text = safeText(output).replace(/\n+$/, "");
  return text === "" ? [] : text.split("\n");
}

/** Lines of a child's own calls that are shown: the last ones. */
const maxChildCalls = 6;
const maxTextLines = 3;

/** A child at work: its calls, those of its own children, and the end of its text. */
function renderChild(child: ChildShown, width: number, tools: Tools): readonly string[] {
  const { theme, typesetter } = tools;
  const { calls, callCount, text } = child;
  const shown = calls.slice(-maxChildCalls);
  const left = callCount - shown.length;
  return [
    ...(left > 0 ? [theme.dim(`… ${left} earlier calls`)] : []),
    ...shown.flatMap((call) => {
      const name = safeText(call.toolName);
      const head = `${markOf(call, theme)} ${name} ${inputOf(call)}`.trimEnd();
      const isOver = call.state !== "running" && call.state !== "waiting";
      const below =
        call.child === undefined || isOver
          ? []
          : renderChild(call.child, Math.max(1, width - 2), tools);
      return [typesetter.cut(head, width), ...below.map((line) => `  ${line}`)];
    }),
    ...linesOf(text)
      .slice(-maxTextLines)
      .map((line) => theme.dim(typesetter.cut(line, width))),
  ];
}

function describeCalls({ callCount }: ChildShown): string {
  return callCount === 1 ? "1 call" : `${callCount} calls`;
}

function lastLines(output: string, width: number, { theme, typesetter }: Tools): readonly string[] {
  const lines = linesOf(output);
  const shown = lines.slice(-maxOutputLines).map((line) => theme.dim(typesetter.cut(line, width)));
  const left = lines.length - shown.length;
  return left > 0 ? [theme.dim(`… ${left} earlier lines`), ...shown] : shown;
}

function firstLines(
  output: string,
  width: number,
  { theme, typesetter }: Tools,
): readonly string[] {
  const lines = linesOf(output);
  const shown = lines
    .slice(0, maxOutputLines)
    .map((line) => theme.dim(typesetter.cut(line, width)));
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, theme.dim(`… ${left} more lines`)] : shown;
}
