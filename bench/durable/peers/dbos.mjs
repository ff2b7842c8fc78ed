/** DBOS: a workflow whose model and tool calls are steps, each recorded after it ran. */
import { DBOS } from "@dbos-inc/dbos-sdk";
import { look, measure, order, reply } from "./turn.mjs";

DBOS.setConfig({
  name: "bench",
  systemDatabaseUrl: order.where,
  logLevel: "error",
  runAdminServer: false,
});

const turn = DBOS.registerWorkflow(
  async () => {
    for (let step = 1; ; step += 1) {
      const said = await DBOS.runStep(async () => reply(step), { name: `model-${step}` });
      if (said.text !== undefined) return said.text;
      await DBOS.runStep(async () => look(), { name: `tool-${step}` });
    }
  },
  { name: "turn" },
);

await DBOS.launch();
await measure(async () => turn());
