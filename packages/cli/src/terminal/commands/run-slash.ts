/** Runs what the user wrote after a slash. */
import { nearestWord } from "../../command-line/nearest-word.ts";
import { failed } from "../../errors/command-error.ts";
import type { App } from "../app.ts";
import type { Work } from "../work.ts";
import { commands } from "./commands.ts";

/** True for a slash and a word: a path has a second slash. */
export function isSlash(text: string): boolean {
  return /^\/[a-z]+(?:\s|$)/.test(text);
}

/** Throws a `CommandError` about an unknown command. */
export async function runSlash(app: App, text: string, work: Work): Promise<void> {
  const [, name = "", argument = ""] = /^\/(\S+)\s*([^]*)$/.exec(text.trim()) ?? [];
  const command = commands.find((one) => one.name === name);
  if (command !== undefined) return command.run(app, argument, work);
  const nearest = nearestWord(
    name,
    commands.map((one) => one.name),
  );
  const hint = nearest === undefined ? "/help lists all" : `did you mean /${nearest}?`;
  throw failed(`Unknown command /${name}: ${hint}`);
}
