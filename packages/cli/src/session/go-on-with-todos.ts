/** Reminds a session of its unfinished todos when a turn ends. */
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

  /**
   * Returns the next reminder, given the messages since the user's last one. Undefined if nothing is left, nothing has changed, or the
   * limit is reached.
   */
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
  return `Your list has unfinished todos:\n${toTodoLines(left).join("\n")}\nContinue with them. If one needs no more work or cannot be done, update the list accordingly and tell the user why.`;
}

/** True if the text ends with a question. */
export function isQuestion(text: string): boolean {
  return /[?？؟]["'”’)\]*_`\s]*$/u.test(text);
}
