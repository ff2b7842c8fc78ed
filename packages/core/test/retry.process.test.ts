import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const program = `
  import { createAgent, createSession } from "@capstan/core";
  import { failBefore, say, scriptedProvider } from "@capstan/testing";
  const agent = () => createAgent({ model: scriptedProvider([failBefore("rate_limit"), say("Done")]) });
  console.log(await agent().run("Hello"));
  console.log(await createSession({ agent: agent() }).run("Hello"));
`;

test("a program whose only work is a turn stays until the turn has been tried again, and then ends by itself", () => {
  const args = ["--conditions=@capstan/source", "--input-type=module", "--eval", program];

  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });

  expect(stderr).toBe("");
  expect(stdout).toBe("Done\nDone\n");
  expect(status).toBe(0);
});
