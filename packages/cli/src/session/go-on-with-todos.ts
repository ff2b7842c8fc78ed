/** What a session is reminded of when a turn ends before its list of todos does. */
import type { ChatMessage } from "@capstan/kernel";
import { todosOf } from "@capstan/toolset";
import type { Todo } from "@capstan/toolset";
import { toTodoLines } from "../print/describe-call.ts";

export class TodoReminders {
  readonly #limit: number;
  #count = 0;
  #last = "";

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What to say next, by the messages that came since the user spoke. Undefined: nothing is left, nothing changed, or it was said often enough. */
  next(messages: readonly ChatMessage[]): string | undefined {
    const todos = todosOf(messages);
    const left = todos.filter(({ status }) => status !== "completed");
    const list = JSON.stringify(todos);
    if (left.length === 0 || this.#count >= this.#limit || list === this.#last) return undefined;
    this.#count += 1;
    this.#last = list;
    return reminderOf(left);
  }
}

function reminderOf(left: readonly Todo[]): string {
  return `Your list has unfinished todos:\n${toTodoLines(left).join("\n")}\nGo on with them. If one needs no more work or cannot be done, write the list again so that it says so, and tell the user why.`;
}
