/** `/export`: the conversation as Markdown. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { failed, reasonOf } from "../../errors/command-error.ts";
import { toMarkdown } from "../../print/markdown.ts";
import type { SlashCommand } from "./command.ts";

export const exportSession: SlashCommand = {
  name: "export",
  argument: "file",
  help: "write the conversation to a Markdown file",
  run: async (app, written, { session, folder }) => {
    const file = resolve(folder.cwd, written === "" ? `capstan-${session.id}.md` : written);
    const title = (session.title ?? "A session").replaceAll(/\s+/g, " ").trim();
    const facts = { session: session.id, folder: folder.cwd };
    const text = toMarkdown({ title, facts }, session.messages);
    try {
      // Only the user may read the conversation, and no file is replaced.
      await writeFile(file, text, { mode: 0o600, flag: "wx" });
    } catch (cause) {
      throw failed(`Cannot write ${file}: ${reasonOf(cause)}.`, cause);
    }
    app.note(`written to ${file}`);
  },
};
