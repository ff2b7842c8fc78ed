/** `/permissions`: the rules that apply, and where they are from. */
import { readSessionRules } from "../../config/session-rules.ts";
import { describeRule } from "../../permissions/decision.ts";
import type { SlashCommand } from "./command.ts";

export const permissions: SlashCommand = {
  name: "permissions",
  help: "show the rules that apply",
  run: async (app, _, { folder, session }) => {
    const { settings, folders } = await folder.reload();
    const own = readSessionRules(folders.dataFolder, session.id);
    const rows = (["deny", "ask", "allow"] as const).flatMap((list) =>
      [...settings.permissions[list], ...own[list]].map(
        ({ text, layer }) => `${list.padEnd(5)}  ${describeRule(text, layer)}`,
      ),
    );
    app.note(rows.length === 0 ? "no rules: calls that change something ask" : rows.join("\n"));
  },
};
