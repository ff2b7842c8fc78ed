/** Applies the rules that allow to a call that no other rule limits. */
import type { AnyTool } from "@capstan/core";
import { foundIn } from "./bash/found-in.ts";
import type { Asking, Decision } from "./decision.ts";
import { mayAllow } from "./families.ts";
import type { FileVerdict, ScriptVerdict } from "./judge-script.ts";
import { judgeScript } from "./judge-script.ts";
import { ruleForTool, serverOf, shortDigest } from "./mcp-rule.ts";
import { knownTools } from "./known-tools.ts";
import { pathRuleFor } from "./path-hint.ts";
import type { Place, Places } from "./path-pattern.ts";
import { allowsPath, placesOf } from "./path-pattern.ts";
import { isProtected } from "./protected-places.ts";
import type { Rule } from "./rule.ts";
import type { Subject } from "./subject.ts";
import { wayInside } from "./way-inside.ts";

export interface AllowContext {
  readonly allow: readonly Rule[];
  readonly cwd: string;
  readonly tools: readonly AnyTool[];
  /** Real paths of the folders in which `edit` and `write` without a pattern hold. */
  readonly namedFolders: readonly string[];
  /** Digest of the declaration of an MCP tool. */
  readonly digestOf?: ((toolName: string) => string | undefined) | undefined;
  /** False if a rule denies or asks about the file. */
  readonly isUnlimited: (type: "read" | "write", path: string) => boolean;
}

export function allowCall(subject: Subject, context: AllowContext): Decision {
  const { toolName, script, places } = subject;
  if (toolName === "bash" && script !== undefined) return allowScript(script, places, context);
  const isWriting = toolName === "edit" || toolName === "write";
  if (isWriting && places !== undefined && isProtectedPlace(places)) {
    const verdict = decideProtected(toolName, places, context);
    return verdict.isAllowed ? { type: "allow" } : toAsking(verdict.problem, verdict.allowWith);
  }
  if (context.allow.some((rule) => allows(rule, subject, context))) return { type: "allow" };
  if (isFree(toolName, context.tools)) return { type: "allow" };
  if (serverOf(toolName) !== undefined) return askAboutTool(toolName, context);
  const rule = places === undefined ? undefined : pathRuleFor(toolName, places.real);
  const isElsewhere = isWriting && !isIn(context.namedFolders, places);
  const why = isElsewhere
    ? "No rule allows a change outside of the working folder"
    : "No rule allows this call";
  return toAsking(why, rule === undefined && isElsewhere ? [] : [rule ?? toolName]);
}

/** The hint has the digest: a server may change what a tool does after the user has allowed it. */
function askAboutTool(toolName: string, { allow, digestOf }: AllowContext): Asking {
  const isChanged = allow.some((rule) => rule.toolName === toolName && rule.digest !== undefined);
  const why = isChanged
    ? "The server has changed this tool since a rule allowed it"
    : "No rule allows this call";
  return toAsking(why, [ruleForTool(toolName, digestOf?.(toolName))]);
}

function toAsking(why: string, allowWith: readonly string[], parts?: Asking["parts"]): Asking {
  return { type: "ask", why, allowWith, ...(parts && { parts }) };
}

function allows(
  rule: Rule,
  { toolName, places, server }: Subject,
  { namedFolders, digestOf }: Pick<AllowContext, "namedFolders" | "digestOf">,
): boolean {
  if (rule.server !== undefined && server === rule.server) return true;
  if (!mayAllow(rule, toolName)) return false;
  if (rule.digest !== undefined) {
    const digest = digestOf?.(toolName);
    return digest !== undefined && shortDigest(digest) === rule.digest;
  }
  const { pattern } = rule;
  if (pattern === undefined) {
    // `*` is everything. A rule for one tool is about folders that the user has named, and the project's folder above is not.
    const isChange = toolName === "edit" || toolName === "write";
    return rule.toolName === undefined || !isChange || isIn(namedFolders, places);
  }
  // A rule for some commands also covers the jobs that they started.
  return pattern.type === "path" ? allowsPath(pattern, places) : toolName !== "bash";
}

function isIn(folders: readonly string[], places: Places | undefined): boolean {
  if (places === undefined) return false;
  return folders.some((folder) => wayInside(folder, places.real.absolute) !== undefined);
}

function isProtectedPlace({ written, real }: Places): boolean {
  return [written, real].some((place) => isProtected(pathOf(place)));
}

/** Inside of the working folder, that folder's own path does not matter. */
function pathOf({ inside, absolute }: Place): string {
  return inside ?? absolute;
}

/** A protected file needs a rule with exactly its path, or its name. */
function decideProtected(
  toolName: string,
  places: Places,
  { allow }: Pick<AllowContext, "allow">,
): FileVerdict {
  const isAllowed = allow.some(
    (rule) =>
      mayAllow(rule, toolName) &&
      rule.pattern?.type === "path" &&
      rule.pattern.exactName !== undefined &&
      allowsPath(rule.pattern, places),
  );
  if (isAllowed) return { isAllowed };
  const problem = `${pathOf(places.real)} is a protected file, which may run code later`;
  return { isAllowed, problem, allowWith: [pathRuleFor(toolName, places.real) ?? toolName] };
}

function allowScript(script: string, places: Places | undefined, context: AllowContext): Decision {
  const { allow, cwd } = context;
  const about = allow.filter((rule) => mayAllow(rule, "bash"));
  const folder = places?.written.absolute;
  if (about.some(({ pattern }) => pattern === undefined)) {
    const bad = protectedFileOf(script, folder ?? cwd, context);
    return bad === undefined ? { type: "allow" } : toAsking(bad.problem, bad.allowWith);
  }
  const inside = places?.written.inside;
  if (folder === undefined || inside === undefined || inside !== places?.real.inside) {
    return toAsking("The command runs outside of the working folder", []);
  }
  const verdict = judgeScript(script, folder, {
    patterns: about.flatMap(({ pattern }) => (pattern?.type === "command" ? [pattern] : [])),
    cwd,
    decideFile: (type, path) => decideFile(type, path, context),
  });
  return verdict.isAllowed ? { type: "allow" } : toScriptAsking(verdict);
}

function toScriptAsking({ parts, problem }: ScriptVerdict): Asking {
  if (problem !== undefined) return toAsking(`The command ${problem}, which rules do not read`, []);
  const refused = parts.filter((part) => part.problem !== undefined);
  // A script that does nothing is not allowed by a rule.
  const open = refused.length > 0 ? refused : parts;
  const allowed = parts.filter((part) => part.isByRule).map(({ source }) => source);
  const hints = open.map(({ allowWith }) => allowWith);
  const [first] = open;
  const shown = open.map(({ source }) => toOneLine(source)).join(", ");
  return toAsking(
    `${shown} ${first?.problem ?? "is not allowed by a rule"}`,
    hints.includes(undefined) ? [] : [...new Set(hints.flatMap((hint) => hint ?? []))],
    { allowed, refused: open.map(({ source }) => source) },
  );
}

const maxShown = 120;

function toOneLine(source: string): string {
  const line = source.replaceAll(/\s+/g, " ");
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}

/** A redirection is what `read` or `write` of the same file would be. */
function decideFile(type: "read" | "write", path: string, context: AllowContext): FileVerdict {
  const places = placesOf(path, context.cwd);
  const none = { isAllowed: false, allowWith: [] } as const;
  if (places === undefined) return { ...none, problem: "has a redirection to an odd path" };
  if (!context.isUnlimited(type, path)) {
    return { ...none, problem: "has a redirection that a rule denies or asks about" };
  }
  if (type === "write" && isProtectedPlace(places)) {
    return decideProtected("write", places, context);
  }
  const isInside = places.real.inside !== undefined;
  const isAllowed = context.allow.some(
    (rule) =>
      mayAllow(rule, type) &&
      rule.toolName !== undefined &&
      allows(rule, { toolName: type, places }, context) &&
      (isInside || rule.pattern !== undefined),
  );
  if (isAllowed || (type === "read" && isInside)) return { isAllowed: true };
  const verb = type === "read" ? "reads" : "writes";
  const rule = pathRuleFor(type, places.real);
  return {
    isAllowed: false,
    problem: `${verb} ${pathOf(places.real)}`,
    allowWith: rule === undefined ? [] : [rule],
  };
}

function protectedFileOf(
  script: string,
  folder: string,
  context: AllowContext,
): Exclude<FileVerdict, { readonly isAllowed: true }> | undefined {
  for (const { path, isWritten } of foundIn(script).files) {
    const places = isWritten && path !== undefined ? placesOf(path, folder) : undefined;
    if (places === undefined || !isProtectedPlace(places)) continue;
    const verdict = decideProtected("write", places, context);
    if (!verdict.isAllowed) return verdict;
  }
  return undefined;
}

function isFree(toolName: string, tools: readonly AnyTool[]): boolean {
  const tool = tools.find(({ name }) => name === toolName);
  const known = Object.hasOwn(knownTools, toolName) ? knownTools[toolName] : undefined;
  return known?.isFree === true && tool?.effect === "pure";
}
