/** A rule about tool calls, as users write it: `tool`, `tool(pattern)` or `*`. */
import { ConfigError } from "../errors/config-error.ts";
import { nearestWord } from "../command-line/nearest-word.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { parseCommandRule } from "./command-pattern.ts";
import { parseMcpRule } from "./mcp-rule.ts";
import { knownTools } from "./known-tools.ts";
import type { PathPattern } from "./path-pattern.ts";
import { parsePathRule } from "./path-pattern.ts";

/** Source of a rule. `session`: written for one session; `flags`: the command line. */
export type RuleLayer = "user" | "project" | "session" | "flags";

export interface Rule {
  readonly text: string;
  readonly layer?: RuleLayer;
  /** Absent for `*`, which matches every call. */
  readonly toolName?: string;
  readonly pattern?: CommandPattern | PathPattern;
  /** Server of an MCP rule, all of whose tools it covers. */
  readonly server?: string;
  /** Digest of the declaration that the user has seen: the rule does not hold for a tool that has changed since. */
  readonly digest?: string;
  /** True for a rule that counts only while commands run in a sandbox. */
  readonly isForSandbox?: boolean;
}

const shape = /^([A-Za-z0-9_-]+)(?:\((.*)\))?$/su;

/** Throws a `ConfigError` with the reason if the rule is invalid. */
export function parseRule(text: string): Rule {
  if (text === "*") return { text };
  if (text === "bash@sandbox") return { text, toolName: "bash", isForSandbox: true };
  const ofMcp = parseMcpRule(text);
  if (ofMcp !== undefined) return ofMcp;
  const [, toolName, pattern] = shape.exec(text) ?? [];
  if (toolName === undefined) throw refuse(text, "a rule is tool, tool(pattern) or *");
  const tool = Object.hasOwn(knownTools, toolName) ? knownTools[toolName] : undefined;
  if (tool === undefined) throw refuse(text, unknownTool(toolName));
  if (pattern === undefined) return { text, toolName };
  const parsed = parsePattern(tool.pattern, toolName, pattern);
  if (typeof parsed === "string") throw refuse(text, parsed);
  return { text, toolName, pattern: parsed };
}

/** Returns a string, the reason, if the pattern is invalid. */
function parsePattern(
  about: "command" | "path" | undefined,
  toolName: string,
  pattern: string,
): CommandPattern | PathPattern | string {
  if (about === undefined) return `${toolName} takes no pattern: use ${toolName} alone`;
  if (pattern === "") return `the pattern is empty: use ${toolName} alone to match all its calls`;
  return about === "command" ? parseCommandRule(pattern) : parsePathRule(pattern);
}

function unknownTool(toolName: string): string {
  const names = Object.keys(knownTools);
  const nearest = nearestWord(toolName, names);
  return nearest === undefined
    ? `unknown tool ${toolName}, use one of ${names.join(", ")}`
    : `unknown tool ${toolName}: did you mean ${nearest}?`;
}

function refuse(text: string, reason: string): ConfigError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return new ConfigError("invalid_rule", `${JSON.stringify(shown)} is not a valid rule: ${reason}`);
}

export function withLayer(rules: readonly Rule[] | undefined, layer: RuleLayer): readonly Rule[] {
  return (rules ?? []).map((rule) => ({ ...rule, layer }));
}
