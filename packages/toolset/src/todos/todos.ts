/** `write_todos`: the plan of a long task. It is part of the transcript, so it lasts as long as the session. */
import { defineTool, ok } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import { z } from "zod";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Status of a task. */
export type TodoStatus = "pending" | "in_progress" | "completed";

/** A task of the agent's list. */
export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

/** Details of a `todos` result, for user interfaces. */
export interface TodosDetails {
  readonly todos: readonly Todo[];
}

const todos = z
  .array(
    z.strictObject({
      content: z.string().min(1).max(1000),
      status: z.enum(["pending", "in_progress", "completed"]),
    }),
  )
  .max(100);

const toolName = "write_todos";
const marks = { pending: "[ ]", in_progress: "[>]", completed: "[x]" } as const;

/**
 * Creates the tool with which the model keeps a list of tasks. Each call passes the whole list. The model sees it
 * again in the result, users see it in `details`.
 */
export function todosTool(): NamedTool<"write_todos"> {
  return defineTool({
    name: toolName,
    label: "Plan",
    description:
      "Keeps a todo list for a task with several steps. Pass the whole list each time: at the start, and whenever you start or complete a todo.",
    input: z.strictObject({ todos }),
    effect: "pure",
    // If one step has two calls, the later one counts.
    execution: "sequential",
    execute(wanted) {
      const details: TodosDetails = wanted;
      const lines = wanted.todos.map(({ content, status }) => `${marks[status]} ${content}`);
      return ok(lines.length === 0 ? "(Nothing to do.)" : lines.join("\n"), details);
    },
  });
}

/** Returns the latest list in a transcript; empty if there is none. */
export function todosOf(messages: readonly ChatMessage[]): readonly Todo[] {
  const latest = messages.findLast(
    (message) => message.role === "tool" && message.toolName === toolName && !message.isError,
  );
  const found = latest?.role === "tool" ? latest.details : undefined;
  // The transcript may come from elsewhere.
  const parsed = z.object({ todos }).safeParse(found);
  return parsed.success ? parsed.data.todos : [];
}
