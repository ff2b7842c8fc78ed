/** The SDK of the protocol is loaded when a server is used, and not before. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const program = `
import { registerHooks } from "node:module";
const loaded = [];
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith("@modelcontextprotocol/")) loaded.push(specifier);
    return next(specifier, context);
  },
});
const { mcpTools } = await import("@capstan/mcp");
const mcp = mcpTools({ servers: { none: { command: "no-such-command" } }, onError() {} });
console.log(loaded.length === 0);
await mcp.tools();
console.log(loaded.length > 0);
`;

const serving = program
  .replace('import("@capstan/mcp")', 'import("@capstan/mcp/server")')
  .replace("{ mcpTools }", "{ mcpServer }")
  .replace(/const mcp = .*/, "const mcp = mcpServer({ agents: [] }, { authenticate() {} });")
  .replace("await mcp.tools()", 'await mcp.handle(new Request("http://localhost/"))');

test("a program that offers agents and serves no client loads nothing of the SDK", () => {
  const args = ["--conditions=@capstan/source", "--input-type=module", "--eval", serving];

  const output = execFileSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });

  expect(output).toBe("true\ntrue\n");
});

test("a program that configures a server and uses none loads nothing of the SDK", () => {
  const args = ["--conditions=@capstan/source", "--input-type=module", "--eval", program];

  const output = execFileSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });

  expect(output).toBe("true\ntrue\n");
});
