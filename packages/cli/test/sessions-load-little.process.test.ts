/** The built command loads a few chunks: a list of sessions is shown before what agents need is loaded. */
import { expect, test } from "vitest";
import { files, spawnCommand } from "./spawn-command.ts";

test.each([
  [["--version"], ["start"]],
  [["sessions"], ["sessions", "settings", "start"]],
])("capstan %j loads the chunks %j, and no others of the common ones", async (args, chunks) => {
  const command = spawnCommand(files.bin, args, { env: { NODE_DEBUG: "esm" } });

  const { exitCode } = await command.ended;

  const common = ["agent", "sessions", "settings", "start"];
  const loaded = common.filter((name) => command.stderr().includes(`/chunks/${name}.js`));
  expect(exitCode).toBe(0);
  expect(loaded).toEqual(chunks);
});
