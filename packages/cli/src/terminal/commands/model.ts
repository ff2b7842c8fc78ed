/** `/model`: another model for this session. */
import { createModelSource } from "../../model/model-source.ts";
import type { App } from "../app.ts";
import type { Work } from "../work.ts";
import type { SlashCommand } from "./command.ts";

export const model: SlashCommand = {
  name: "model",
  argument: "name",
  help: "choose the model of this session",
  run: async (app, written, work) => {
    const name = written === "" ? await choose(app, work) : written;
    if (name !== undefined) await app.reopen({ model: name });
  },
};

/** Models that can be used now. */
async function choose(app: App, { folder, model: { chosen } }: Work): Promise<string | undefined> {
  const { registry, vendors } = createModelSource(folder.config.settings, app.io.env);
  const inReach = new Set(
    vendors.filter(({ missing }) => missing === undefined).map(({ row }) => row.id),
  );
  const known = (await registry.list()).filter(({ vendor }) => inReach.has(vendor));
  const items = known.map(({ vendor, id, label, facts }) => {
    const window = facts?.contextWindow;
    const size = window === undefined ? "" : `${window.toLocaleString("en-US")} tokens`;
    const name = `${vendor}/${id}`;
    return { value: name, label: name, description: [label, size].filter(Boolean).join(", ") };
  });
  return app.choose(`Model (now ${chosen.name})`, items);
}
