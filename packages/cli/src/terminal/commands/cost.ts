/** `/cost`: tokens and dollars of the session. */
import { describeUsage } from "../../print/describe-usage.ts";
import type { SlashCommand } from "./command.ts";

export const cost: SlashCommand = {
  name: "cost",
  help: "show tokens and cost of this session",
  run: (app, _, { session }) => {
    const { total, cost: dollars, byModel } = session.getUsage();
    const all = describeUsage({ usage: total, ...(dollars !== undefined && { cost: dollars }) });
    const models = byModel.map(({ model = "unknown model", usage, cost: own }) => {
      const text = describeUsage({ usage, ...(own !== undefined && { cost: own }) });
      return `  ${model}: ${text}`;
    });
    app.note(all === "" ? "no usage was reported" : [`session: ${all}`, ...models].join("\n"));
  },
};
