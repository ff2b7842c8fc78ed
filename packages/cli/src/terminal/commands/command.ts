/** A slash command. */
import type { App } from "../app.ts";
import type { Work } from "../work.ts";

export interface SlashCommand {
  readonly name: string;
  /** Name of the argument in the help. Absent: the command takes none. */
  readonly argument?: string;
  readonly help: string;
  /** Text after the name, trimmed. A failure is shown. */
  readonly run: (app: App, argument: string, work: Work) => Promise<void> | void;
}
