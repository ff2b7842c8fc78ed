/** `/clear`: a new session. */
import type { SlashCommand } from "./command.ts";

export const clear: SlashCommand = {
  name: "clear",
  help: "start a new session; this one stays stored",
  run: (app) => app.reopen({ session: { type: "new" } }),
};
