/** `/quit`: leaves. */
import type { SlashCommand } from "./command.ts";

export const quit: SlashCommand = {
  name: "quit",
  help: "leave; the session can be resumed",
  run: (app) => app.leave(0),
};
