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

/** True if the last paragraph asks a question, or the one before a list that ends the text. */
export function isQuestion(text: string): boolean {
  const lines = text
    .replaceAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g, "")
    .trimEnd()
    .split("\n");
  const last = lines.findLastIndex((line) => line.trim() !== "" && !isListItem(line));
  const start = lines.findLastIndex((line, index) => index < last && line.trim() === "") + 1;
  return /\S[?？؟]["'”’)\]*_]*(?=\s|$)|[？؟]/u.test(lines.slice(start, last + 1).join("\n"));
}

function isListItem(line: string): boolean {
  return /^\s*(?:[-*+•]|\w{1,2}[.)])\s/.test(line);
}
