/** The MCP package is loaded only if a server is configured. */
import { expect, test } from "vitest";
import { files, spawnCommand } from "./spawn-command.ts";

test.each([[["--version"]], [["--offline", "--no-session", "hello"]]])(
  "capstan %j does not load it",
  async (args) => {
    const env = { NODE_DEBUG: "esm" };
    const command = spawnCommand(files.main, args, { env });
    const { exitCode } = await command.ended;
    expect(exitCode).toBe(0);
    expect(command.stderr()).toContain("command-line/version.ts");
    expect(command.stderr()).not.toMatch(/packages\/mcp\/src|modelcontextprotocol/);
  },
);
