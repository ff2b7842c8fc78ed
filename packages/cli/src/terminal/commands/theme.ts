/** `/theme`: colours for a dark or a light terminal, or none. */
import { failed } from "../../errors/command-error.ts";
import type { ThemeName } from "../render/theme.ts";
import type { SlashCommand } from "./command.ts";

const names: readonly ThemeName[] = ["dark", "light", "plain"];

export const theme: SlashCommand = {
  name: "theme",
  argument: "name",
  help: "choose colours: dark, light or plain",
  run: async (app, written) => {
    const chosen =
      written === ""
        ? await app.choose(
            `Theme (now ${app.look.name})`,
            names.map((name) => ({ value: name, label: name })),
          )
        : names.find((name) => name === written);
    if (chosen === undefined && written === "") return;
    if (chosen === undefined) throw failed(`Unknown theme "${written}": ${names.join(", ")}.`);
    app.chooseTheme(chosen);
  },
};
