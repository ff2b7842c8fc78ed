/** Rules about tools of MCP servers: `mcp__server`, `server__tool` and `server__tool@digest`. */
import type { JsonValue } from "@capstan/kernel";
import type { Rule } from "./rule.ts";

const shape =
  /^(?<name>[A-Za-z0-9][A-Za-z0-9-]*(?:_[A-Za-z0-9-]+)*__[A-Za-z0-9_-]+)(?:@(?<digest>[0-9a-f]{12}))?$/;

/** Undefined if the text is about other tools. */
export function parseMcpRule(text: string): Rule | undefined {
  const { name, digest } = shape.exec(text)?.groups ?? {};
  if (name === undefined) return undefined;
  if (digest !== undefined) return { text, toolName: name, digest };
  return name.startsWith("mcp__")
    ? { text, toolName: name, server: name.slice("mcp__".length) }
    : { text, toolName: name };
}

/** Server of a tool, by the tool's name; undefined for tools that are not of one. */
export function serverOf(toolName: string): string | undefined {
  const end = toolName.indexOf("__");
  return end > 0 ? toolName.slice(0, end) : undefined;
}

/** Server that a call of the tools for resources and prompts is about; `*` if it names none. */
export function namedServer(toolName: string, input: JsonValue): string | undefined {
  if (toolName !== "mcp_resources" && toolName !== "mcp_prompts") return undefined;
  const { server } = (typeof input === "object" && input !== null ? input : {}) as {
    readonly server?: unknown;
  };
  return typeof server === "string" ? server : "*";
}

/** The part of a digest that rules have. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}

/** The rule that allows exactly this tool as it is declared now. */
export function ruleForTool(toolName: string, digest: string | undefined): string {
  return digest === undefined ? toolName : `${toolName}@${shortDigest(digest)}`;
}
