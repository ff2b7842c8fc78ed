/** `/help`: keys and commands. */
import { keys } from "../keys.ts";
import type { SlashCommand } from "./command.ts";

export function createHelp(commands: () => readonly SlashCommand[]): SlashCommand {
  return { name: "help", help: "show keys and commands", run: (app) => app.note(text(commands())) };
}

function text(commands: readonly SlashCommand[]): string {
  const rows = [
    ...keys.map(({ key, help }) => [key, help] as const),
    ["!command", "run a command in your own shell; the model does not see it"] as const,
    ["@path", "attach a file of the project"] as const,
    ...commands.map(({ name, argument, help }) => {
      const words = argument === undefined ? `/${name}` : `/${name} [${argument}]`;
      return [words, help] as const;
    }),
  ];
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`).join("\n");
}
