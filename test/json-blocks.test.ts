/** Blocks of JSON on the pages are what the pages say they are. */
import { ChatMessageSchema } from "@capstan/core/schemas";
import { expect, test } from "vitest";
import { parseCommandLine } from "../packages/cli/src/command-line/parse-command-line.ts";
import { allBlocks } from "./documented/shell-blocks.ts";

interface McpClientSettings {
  readonly mcpServers: Readonly<
    Record<string, { readonly command: string; readonly args: readonly string[] }>
  >;
}

/** What must be true of a block, by its page. Throws otherwise. */
const checks: Readonly<Record<string, (text: string) => void>> = {
  "docs/specs/core-types.md": (text) => {
    ChatMessageSchema.parse(JSON.parse(text));
  },
  "docs/specs/mcp-server.md": (text) => {
    const { mcpServers } = JSON.parse(text) as McpClientSettings;
    const [server] = Object.values(mcpServers);
    expect(server?.command).toBe("capstan");
    expect(parseCommandLine(server?.args ?? [])).toMatchObject({
      type: "mcp",
      action: { verb: "serve" },
    });
  },
};

/** Pages of settings, whose blocks the command reads in packages/cli/test/config/documented.test.ts. */
const settings: ReadonlySet<string> = new Set(["docs/configuration.md", "docs/permissions.md"]);

test("every block of JSON is read by what it is for", () => {
  const blocks = allBlocks().filter(
    ({ language, page }) => language === "json" && !settings.has(page),
  );

  const unknown = blocks.filter(({ page }) => checks[page] === undefined);
  for (const { page, text } of blocks) checks[page]?.(text);

  expect(unknown).toEqual([]);
  expect(blocks.length).toBeGreaterThan(1);
});
