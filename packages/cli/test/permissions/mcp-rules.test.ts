/** Rules about tools of MCP servers. */
import { expect, test } from "vitest";
import { decide } from "../../src/permissions/permissions.ts";
import { parseRule } from "../../src/permissions/rule.ts";

const digest = "0123456789abcdef";

function decided(
  rules: { readonly allow?: readonly string[]; readonly deny?: readonly string[] },
  toolName: string,
  { input = {}, now = digest }: { readonly input?: object; readonly now?: string } = {},
): string {
  const { allow = [], deny = [] } = rules;
  const permissions = { allow: allow.map(parseRule), ask: [], deny: deny.map(parseRule) };
  const context = { permissions, cwd: "/work", tools: [], digestOf: () => now };
  return decide({ toolName, input: input as Record<string, string> }, context).type;
}

test("The default is to ask", () => expect(decided({}, "bank__pay")).toBe("ask"));

test.each([
  [["bank__pay"], "bank__pay", "allow"],
  [["bank__pay"], "bank__pay_all", "ask"],
  [["mcp__bank"], "bank__pay", "allow"],
  [["mcp__bank"], "bank-2__pay", "ask"],
  [["mcp__ban"], "bank__pay", "ask"],
  [["bank__pay@0123456789ab"], "bank__pay", "allow"],
  [["bank__pay@ffffffffffff"], "bank__pay", "ask"],
])("%s: %s is %s", (allow, toolName, expected) => {
  expect(decided({ allow }, toolName)).toBe(expected);
});

test("A tool that has changed since its rule was written asks again, and says so", () => {
  const permissions = { allow: [parseRule("bank__pay@0123456789ab")], ask: [], deny: [] };
  const context = { permissions, cwd: "/work", tools: [], digestOf: () => "f".repeat(64) };
  expect(decide({ toolName: "bank__pay", input: {} }, context)).toMatchObject({
    type: "ask",
    why: "The server has changed this tool since a rule allowed it",
    allowWith: ["bank__pay@ffffffffffff"],
  });
});

test("A denial of a server holds for its resources, too", () => {
  const deny = ["mcp__bank"];
  const allow = ["*"];
  expect(decided({ allow, deny }, "mcp_resources", { input: { server: "bank" } })).toBe("deny");
  expect(decided({ allow, deny }, "mcp_resources", { input: { server: "other" } })).toBe("allow");
  expect(decided({ allow, deny }, "mcp_resources")).toBe("ask");
});
