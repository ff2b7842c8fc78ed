/** `capstan config`: reads or changes one setting. */
import { mkdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import type { ConfigAction } from "../command-line/request.ts";
import { userFolders } from "../config/folders.ts";
import { parseSettings } from "../config/parse-settings.ts";
import { projectFileName } from "../config/project.ts";
import { ConfigError } from "../errors/config-error.ts";
import { failed, reasonOf, wrongUse } from "../errors/command-error.ts";
import type { Rule } from "../permissions/rule.ts";
import { createNotes } from "../print/notes.ts";
import { toOneLine } from "../print/terminal-text.ts";
import type { Io } from "../process/io.ts";
import type { Folder } from "../session/load-folder.ts";
import type { ExitCode } from "./exit-code.ts";

/** Throws a `ConfigError` about the file or the new value, or a `CommandError`. */
export async function config(io: Io, action: ConfigAction, folder: Folder): Promise<ExitCode> {
  if (action.verb === "get") return get(io, action.key, folder);
  const { configFile } = userFolders(io.env, io.platform, io.home);
  const { projectFolder } = folder.config;
  const isProject = action.role === "project";
  const path = isProject ? join(projectFolder, projectFileName) : configFile;
  const text = await readIfPresent(path);
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2 } };
  const keys = action.key.split(".");
  const changed = applyEdits(text, modify(text, keys, toValue(action.value), options));
  // Nothing is written that the next command would refuse.
  parseSettings(path, changed);
  const mode = isProject ? projectMode : userMode;
  await replace(path, changed.endsWith("\n") ? changed : `${changed}\n`, mode);
  const note = createNotes(io);
  note(`set ${action.key} in ${path}`);
  if (isProject) note("the file has changed: use --trust to trust it");
  return 0;
}

function get(io: Io, key: string, { config: { settings, problems } }: Folder): ExitCode {
  if (problems !== undefined) throw new ConfigError("invalid_config", problems.join("\n"));
  const value = key.split(".").reduce<unknown>(fieldOf, settings);
  if (value === undefined) throw wrongUse(`${key} is not set, or is not a setting.`);
  const text = typeof value === "string" ? value : JSON.stringify(value, toText, 2);
  for (const line of text.split("\n")) io.stdout.write(`${toOneLine(line)}\n`);
  return 0;
}

function fieldOf(value: unknown, key: string): unknown {
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, key);
  // Checked above.
  return isObject ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** Rules are shown as they are written. */
function toText(_key: string, value: unknown): unknown {
  const isRule = typeof value === "object" && value !== null && "text" in value;
  return isRule ? (value as Rule).text : value;
}

/** A value that is not JSON is a text. */
function toValue(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    // Most values are names, which need no quotes in a shell.
    return written;
  }
}

async function readIfPresent(path: string): Promise<string> {
  try {
    const text = await readFile(path, "utf8");
    parseSettings(path, text);
    return text;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return "{}";
    throw thrown;
  }
}

/** Headers in the user's file may be secret; a project's file is for everyone who works on it. */
const userMode = 0o600;
const projectMode = 0o644;

async function replace(path: string, text: string, mode: number): Promise<void> {
  // A link, as from a folder of dotfiles, stays one.
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(temporary, text, { mode });
    await rename(temporary, target);
  } catch (cause) {
    throw failed(`Cannot write ${path}: ${reasonOf(cause)}.`, cause);
  }
}
