/** `/compact`: a summary replaces the conversation for the model. */
import type { SlashCommand } from "./command.ts";

export const compact: SlashCommand = {
  name: "compact",
  argument: "what to keep",
  help: "summarize the conversation for the model",
  run: async (app, directives, { session }) => {
    app.note("compacting …");
    await session.compact(directives === "" ? {} : { directives });
  },
};
