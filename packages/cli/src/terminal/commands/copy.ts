/** `/copy`: the last reply, to the clipboard. */
import type { SlashCommand } from "./command.ts";

export const copy: SlashCommand = {
  name: "copy",
  help: "copy the last reply to the clipboard",
  run: (app, _, { session }) => {
    const reply = session.messages.findLast((message) => message.role === "assistant");
    const text = (reply?.content ?? [])
      .flatMap((part) => (part.type === "text" ? [part.text] : []))
      .join("\n");
    if (text === "") return app.note("no reply to copy");
    app.screen?.copy(text);
    app.note(`copied ${text.length} characters, if the terminal allows it`);
  },
};
