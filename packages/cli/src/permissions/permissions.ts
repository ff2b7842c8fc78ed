/** Decides whether a tool call may run: by the rules, else by what the tool can do. */
import type { AnyTool } from "@capstan/core";
import type { Permissions } from "../config/settings.ts";
import { allowWith } from "./allow-with.ts";
import type { Fit } from "./command-pattern.ts";
import { fitsAnywhere, fitsExactly } from "./command-pattern.ts";
import { knownTools } from "./known-tools.ts";
import { allowsPath, fitsPath } from "./path-pattern.ts";
import type { Rule } from "./rule.ts";
import type { CallToDecide, Subject } from "./subject.ts";
import { toSubject } from "./subject.ts";

export type { CallToDecide } from "./subject.ts";

export type Decision =
  | { readonly type: "allow" }
  /**
   * `allowWith` is the rule that would allow exactly this call, or the closest one. `rule` is a rule that asks, or one that denies what
   * this call may do: it overrides every rule that allows.
   */
  | { readonly type: "ask"; readonly rule?: string; readonly allowWith: string }
  | { readonly type: "deny"; readonly rule: string };

export interface DecideContext {
  readonly permissions: Permissions;
  readonly cwd: string;
  readonly tools: readonly AnyTool[];
}

/** Deny rules override ask rules, which override allow rules. Never throws. */
export function decide(call: CallToDecide, { permissions, cwd, tools }: DecideContext): Decision {
  const subject = toSubject(call, cwd);
  const ask = (rule?: Rule): Decision => ({
    type: "ask",
    ...(rule && { rule: rule.text }),
    allowWith: allowWith(subject),
  });
  const { allow, deny } = permissions;
  const denying = deny.find((rule) => fitOf(rule, subject) === "yes");
  if (denying !== undefined) return { type: "deny", rule: denying.text };
  const asking = [...deny, ...permissions.ask].find((rule) => fitOf(rule, subject) !== "no");
  if (asking !== undefined) return ask(asking);
  if (allow.some((rule) => allows(rule, subject))) return { type: "allow" };
  return isFree(call.toolName, tools) ? { type: "allow" } : ask();
}

function isAbout(rule: Rule, { toolName }: Subject): boolean {
  return rule.toolName === undefined || rule.toolName === toolName;
}

function allows(rule: Rule, subject: Subject): boolean {
  const { pattern } = rule;
  if (!isAbout(rule, subject)) return false;
  if (pattern === undefined) return true;
  if (pattern.type === "path") return allowsPath(pattern, subject.places);
  return subject.command !== undefined && fitsExactly(pattern, subject.command);
}

/** For rules that deny or ask. */
function fitOf(rule: Rule, subject: Subject): Fit {
  const { pattern } = rule;
  if (!isAbout(rule, subject)) return "no";
  if (pattern === undefined) return "yes";
  if (pattern.type === "path") return fitsPath(pattern, subject.places);
  return subject.script === undefined ? "maybe" : fitsAnywhere(pattern, subject.script);
}

function isFree(toolName: string, tools: readonly AnyTool[]): boolean {
  const tool = tools.find(({ name }) => name === toolName);
  const known = Object.hasOwn(knownTools, toolName) ? knownTools[toolName] : undefined;
  return known?.isFree === true && tool?.effect === "pure";
}
