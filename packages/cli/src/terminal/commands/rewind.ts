/** `/rewind`: cuts the conversation before one of the user's messages. */
import { userBlock } from "../conversation/message-blocks.ts";
import type { SlashCommand } from "./command.ts";

export const rewind: SlashCommand = {
  name: "rewind",
  help: "return to an earlier prompt; files stay as they are",
  run: async (app, _, { session }) => {
    const prompts = session.messages.flatMap((message) => {
      const block = message.role === "user" ? userBlock(message) : undefined;
      return block?.type === "user" ? [{ id: message.id, text: block.text }] : [];
    });
    const chosen = await app.choose(
      "Rewind to before",
      prompts.toReversed().map((prompt) => ({ value: prompt, label: prompt.text })),
    );
    if (chosen === undefined) return;
    await session.rewind(chosen.id, { before: true });
    app.screen?.setPrompt(chosen.text);
    app.note("the conversation was cut here; files stay as they are");
  },
};
