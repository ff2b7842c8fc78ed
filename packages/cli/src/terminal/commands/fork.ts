/** `/fork`: a copy of the session, to try something else. */
import type { SlashCommand } from "./command.ts";

export const fork: SlashCommand = {
  name: "fork",
  help: "continue in a copy of this session",
  run: async (app, _, { session }) => {
    const copy = await session.fork();
    await app.reopen({ session: { type: "byId", id: copy.id, isFork: false } });
    app.note(`session ${copy.id} is a copy of ${session.id}`);
  },
};
