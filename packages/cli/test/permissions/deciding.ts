/** Decisions about calls in a folder, with rules as they are written. */
import type { AnyTool } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { createToolset } from "@capstan/toolset";
import type { Decision } from "../../src/permissions/permissions.ts";
import { decide } from "../../src/permissions/permissions.ts";
import { parseRule } from "../../src/permissions/rule.ts";

export interface RuleTexts {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export const allTools: readonly AnyTool[] = createToolset({ fetch: {} });

export function decideOn(
  toolName: string,
  input: JsonValue,
  { allow = [], ask = [], deny = [] }: RuleTexts = {},
  cwd = "/work",
  isSandboxed = false,
): Decision {
  const permissions = {
    allow: allow.map(parseRule),
    ask: ask.map(parseRule),
    deny: deny.map(parseRule),
  };
  return decide({ toolName, input }, { permissions, cwd, tools: allTools, isSandboxed });
}

export function decideOnCommand(command: string, rules?: RuleTexts): Decision["type"] {
  return decideOn("bash", { command }, rules).type;
}
