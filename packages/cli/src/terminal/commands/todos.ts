/** `/todos`: the list of the agent. */
import { todosOf } from "@capstan/toolset";
import { toTodoLines } from "../../print/describe-call.ts";
import type { SlashCommand } from "./command.ts";

export const todos: SlashCommand = {
  name: "todos",
  help: "show the todo list",
  run: (app, _, { session }) => {
    const lines = toTodoLines(todosOf(session.messages));
    app.note(lines.length === 0 ? "no todos" : lines.join("\n"));
  },
};
