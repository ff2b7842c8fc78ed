/** Decides whether a tool call may run: by the rules, else by what the tool can do. */
import type { AnyTool } from "@capstan/core";
import type { Permissions } from "../config/settings.ts";
import { allowCall } from "./allow-call.ts";
import type { Decision } from "./decision.ts";
import { mayLimit } from "./families.ts";
import { fitsFiles } from "./file-limits.ts";
import type { Fit } from "./command-pattern.ts";
import { fitsAnywhere } from "./fits-anywhere.ts";
import { fitsPath } from "./path-pattern.ts";
import type { Rule } from "./rule.ts";
import type { CallToDecide, Subject } from "./subject.ts";
import { toSubject } from "./subject.ts";

export type { Decision } from "./decision.ts";
export type { CallToDecide } from "./subject.ts";

export interface DecideContext {
  readonly permissions: Permissions;
  readonly cwd: string;
  readonly tools: readonly AnyTool[];
  /** Real paths of the folders in which `edit` and `write` without a pattern hold. Default: the working folder. */
  readonly namedFolders?: readonly string[];
  /** Digest of the declaration of an MCP tool. */
  readonly digestOf?: ((toolName: string) => string | undefined) | undefined;
  /** True if `bash` runs its commands in a sandbox. */
  readonly isSandboxed?: boolean;
}

/** Deny rules override ask rules, which override allow rules. Never throws. */
export function decide(call: CallToDecide, context: DecideContext): Decision {
  const { permissions, cwd, tools, namedFolders = [cwd], isSandboxed = false } = context;
  const subject = toSubject(call, cwd);
  const counting = (rules: readonly Rule[]): readonly Rule[] =>
    rules.filter(({ isForSandbox = false }) => isSandboxed || !isForSandbox);
  const allow = counting(permissions.allow);
  const ask = counting(permissions.ask);
  const deny = counting(permissions.deny);
  const denials = deny.map((rule) => ({ rule, fit: fitOf(rule, subject, cwd) }));
  const denying = denials.find(({ fit }) => fit === "yes")?.rule;
  if (denying !== undefined) return { type: "deny", ...named(denying) };
  const uncertain = denials.find(({ fit }) => fit === "maybe")?.rule;
  if (uncertain !== undefined) {
    const why = "The call may do what this rule denies, which cannot be told";
    return { type: "ask", ...named(uncertain), why, allowWith: [] };
  }
  const asking = ask.find((rule) => fitOf(rule, subject, cwd) !== "no");
  if (asking !== undefined) {
    return { type: "ask", ...named(asking), why: "The rule asks", allowWith: [] };
  }
  const isFile = (type: "read" | "write", path: string): boolean =>
    [...deny, ...ask].every(
      (rule) => fitOf(rule, toSubject({ toolName: type, input: { path } }, cwd), cwd) === "no",
    );
  const { digestOf } = context;
  return allowCall(subject, { allow, cwd, tools, namedFolders, isUnlimited: isFile, digestOf });
}

function named({ text, layer }: Rule): Pick<Decision & { type: "deny" }, "rule" | "layer"> {
  return { rule: text, ...(layer !== undefined && { layer }) };
}

/** For rules that deny or ask. */
function fitOf(rule: Rule, subject: Subject, cwd: string): Fit {
  const { pattern } = rule;
  const { toolName, script, places } = subject;
  if (toolName === "bash" && pattern?.type === "path" && script !== undefined) {
    return fitsFiles(rule, script, places?.written.absolute ?? cwd);
  }
  if (rule.server !== undefined && subject.server !== undefined) {
    if (subject.server === "*") return "maybe";
    return subject.server === rule.server ? "yes" : "no";
  }
  if (!mayLimit(rule, toolName)) return "no";
  if (pattern === undefined) return "yes";
  if (pattern.type === "path") return fitsPath(pattern, places);
  return script === undefined ? "maybe" : fitsAnywhere(pattern, script);
}
