/** Writes a rule to a layer: the user's file, the project's file, or the rules of one session. */
import { chmod, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { isCapstanError } from "@capstan/kernel";
import { applyEdits, modify } from "jsonc-parser";
import { parseRule } from "../permissions/rule.ts";
import type { UserFolders } from "./folders.ts";
import { replaceFile, whileLocked } from "./locked-file.ts";
import { parseSettings } from "./parse-settings.ts";
import { projectFileName } from "./project.ts";
import { isSystemError, readTextFile } from "./read-file.ts";
import { sessionRulesFile } from "./session-rules.ts";
import { hashOf, lookUpTrust, rememberTrust } from "./trust.ts";

export type RuleTarget =
  | { readonly layer: "user" }
  | { readonly layer: "project"; readonly projectFolder: string }
  | { readonly layer: "session"; readonly sessionId: string };

export interface RuleToWrite {
  readonly list: "allow" | "ask" | "deny";
  readonly rule: string;
}

const maxBytes = 256 * 1024;

/**
 * Returns the reason if the rule was not written, in one sentence. Comments and everything else in the file stay. Processes that write at
 * the same time lose nothing. A trusted project file stays trusted; a rule that allows is not added to one that is not.
 */
export async function writeRule(
  { list, rule }: RuleToWrite,
  target: RuleTarget,
  folders: UserFolders,
): Promise<string | undefined> {
  try {
    parseRule(rule);
  } catch (thrown) {
    if (isCapstanError(thrown)) return thrown.message;
    throw thrown;
  }
  const change = (path: string, text: string): string => withRule(path, text, { list, rule });
  return changeSettings(target, folders, { change, isGranting: list === "allow" });
}

export interface SettingsChange {
  /** Returns the text of the file after the change. */
  readonly change: (path: string, text: string) => string;
  /** True if the change needs a trusted file. */
  readonly isGranting: boolean;
}

/** Returns the reason if the file was not changed, in one sentence. */
export async function changeSettings(
  target: RuleTarget,
  folders: UserFolders,
  { change, isGranting }: SettingsChange,
): Promise<string | undefined> {
  try {
    const path = await realFile(pathOf(target, folders));
    return await whileLocked(path, async () => {
      const read = await readTextFile(path, maxBytes);
      if (read.type === "problem") return `${path} ${read.reason}`;
      const before = read.type === "text" ? read.text : "{}\n";
      const isTrusted =
        target.layer === "project" && (await isStillTrusted(target, folders, bytesOf(read)));
      if (target.layer === "project" && isGranting && !isTrusted) {
        return `${path} is not trusted: read it, then use --trust`;
      }
      const after = change(path, before);
      if (after === before) return undefined;
      // Throws if the text would be invalid: then nothing is written.
      parseSettings(path, after);
      const mode = await modeOf(path, target);
      await replaceFile(path, after, mode);
      await chmod(path, mode);
      return isTrusted && target.layer === "project"
        ? await rememberTrust(folders.dataFolder, target.projectFolder, hashOf(Buffer.from(after)))
        : undefined;
    });
  } catch (thrown) {
    if (isCapstanError(thrown)) return thrown.message;
    if (!isSystemError(thrown)) throw thrown;
    return `The file cannot be written (${thrown.code ?? thrown.message})`;
  }
}

function pathOf(target: RuleTarget, { configFile, dataFolder }: UserFolders): string {
  switch (target.layer) {
    case "user":
      return configFile;
    case "project":
      return join(target.projectFolder, projectFileName);
    case "session":
      return sessionRulesFile(dataFolder, target.sessionId);
    default:
      return target satisfies never;
  }
}

/** A link stays a link: the file that it leads to is changed. */
async function realFile(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

function bytesOf(read: Awaited<ReturnType<typeof readTextFile>>): Buffer | undefined {
  return read.type === "text" ? read.bytes : undefined;
}

/** A file that does not exist yet has nothing that the user has not seen. */
async function isStillTrusted(
  { projectFolder }: Extract<RuleTarget, { readonly layer: "project" }>,
  { dataFolder }: UserFolders,
  bytes: Buffer | undefined,
): Promise<boolean> {
  if (bytes === undefined) return true;
  return (await lookUpTrust(dataFolder, projectFolder, hashOf(bytes))).state === "trusted";
}

function withRule(path: string, text: string, { list, rule }: RuleToWrite): string {
  const known = parseSettings(path, text).settings.permissions?.[list];
  if (known?.some((one) => one.text === rule) === true) return text;
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits =
    known === undefined
      ? modify(text, ["permissions", list], [rule], { formattingOptions })
      : modify(text, ["permissions", list, -1], rule, {
          formattingOptions,
          isArrayInsertion: true,
        });
  return applyEdits(text, edits);
}

/** The project's file is shared; those of the user are private. */
async function modeOf(path: string, { layer }: RuleTarget): Promise<number> {
  // A file that does not exist has no mode yet.
  const known = await stat(path).catch(() => undefined);
  if (known !== undefined) return known.mode & 0o777;
  return layer === "project" ? 0o644 : 0o600;
}
