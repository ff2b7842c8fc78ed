/** `/thinking`: how much the model thinks. */
import type { ThinkingLevel } from "@capstan/kernel";
import { failed } from "../../errors/command-error.ts";
import type { SlashCommand } from "./command.ts";

const levels: readonly ThinkingLevel[] = [
  ...(["off", "minimal", "low", "medium", "high"] as const),
  ...(["xhigh", "max"] as const),
];

export const thinking: SlashCommand = {
  name: "thinking",
  argument: "level",
  help: "set how much the model thinks",
  run: async (app, written, { session }) => {
    const chosen =
      written === ""
        ? await app.choose(
            "Thinking level",
            levels.map((level) => ({ value: level, label: level })),
          )
        : levels.find((level) => level === written);
    if (chosen === undefined && written === "") return;
    if (chosen === undefined) throw failed(`Unknown level "${written}": ${levels.join(", ")}.`);
    await session.configure({ thinkingLevel: chosen });
    app.note(`thinking: ${chosen}, from the next turn on`);
  },
};
