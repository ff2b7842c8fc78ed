/** `write_todos`: the plan of a long task. It lives in the transcript, so it lasts as long as the session. */
import type { AnyTool } from "@capstan/core";
import { defineTool, ok } from "@capstan/core";
import type { ChatMessage } from "@capstan/kernel";
import { z } from "zod";

export type TodoStatus = "pending" | "in_progress" | "completed";

export interface Todo {
  readonly content: string;
  readonly status: TodoStatus;
}

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

/** Each call gives the whole list. The model sees it again in the answer, people see it in `details`. */
export function todosTool(): AnyTool {
  return defineTool({
    name: toolName,
    label: "Plan",
    description:
      "Keeps the list of what there is to do in a task of several steps. Give the whole list each time: when you begin, and whenever a todo is begun or done.",
    input: z.strictObject({ todos }),
    effect: "pure",
    // Of two in one step the later one counts.
    execution: "sequential",
    execute(wanted) {
      const details: TodosDetails = wanted;
      const lines = wanted.todos.map(({ content, status }) => `${marks[status]} ${content}`);
      return ok(lines.length === 0 ? "(Nothing to do.)" : lines.join("\n"), details);
    },
  });
}

/** The latest list of a transcript; empty if there is none. */
export function todosOf(messages: readonly ChatMessage[]): readonly Todo[] {
  const latest = messages.findLast(
    (message) => message.role === "tool" && message.toolName === toolName && !message.isError,
  );
  const found = latest?.role === "tool" ? latest.details : undefined;
  // A transcript may come from elsewhere.
  const parsed = z.object({ todos }).safeParse(found);
  return parsed.success ? parsed.data.todos : [];
}
