/** Tools that a rule covers besides the one that it names. */
import { serverOf } from "./mcp-rule.ts";
import type { Rule } from "./rule.ts";

/** A tool that may change files may make them, and a user that may start a command may end it. */
const alsoAllowed: Readonly<Record<string, readonly string[]>> = {
  edit: ["write"],
  bash: ["bash_output", "bash_kill"],
};
/** A limit holds for every tool that does the same. */
const alsoLimited: Readonly<Record<string, readonly string[]>> = {
  edit: ["write"],
  write: ["edit"],
  read: ["grep", "glob", "ls"],
};

export function mayAllow(rule: Rule, toolName: string): boolean {
  return covers(rule, toolName, alsoAllowed);
}

export function mayLimit(rule: Rule, toolName: string): boolean {
  return covers(rule, toolName, alsoLimited);
}

function covers(
  { toolName: named, server }: Rule,
  toolName: string,
  also: Readonly<Record<string, readonly string[]>>,
): boolean {
  if (server !== undefined) return serverOf(toolName) === server;
  if (named === undefined || named === toolName) return true;
  return Object.hasOwn(also, named) && also[named]?.includes(toolName) === true;
}
