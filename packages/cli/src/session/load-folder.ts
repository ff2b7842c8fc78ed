/** Loads the folder that a command works in, and its settings. */
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { FolderRequest } from "../command-line/request.ts";
import { userFolders } from "../config/folders.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Io } from "../process/io.ts";
import { wrongUse } from "../errors/command-error.ts";

export interface Folder {
  /** Real path. */
  readonly cwd: string;
  readonly config: LoadedConfig;
  /** Loads the settings again, as files and trust are now. */
  readonly reload: () => Promise<LoadedConfig>;
}

/** Throws a `CommandError` if the folder is missing, or a `ConfigError`. */
export async function loadFolder(
  io: Pick<Io, "env" | "platform" | "home" | "cwd">,
  request: Pick<FolderRequest, "cwd" | "flags" | "isTrusting">,
): Promise<Folder> {
  const cwd = await realFolder(io.cwd, request.cwd);
  const { env, platform, home } = io;
  const { flags, isTrusting: trust } = request;
  const folders = userFolders(env, platform, home);
  const load = (isTrusting: boolean): Promise<LoadedConfig> =>
    loadConfig({ cwd, env, folders, flags, trust: isTrusting });
  return { cwd, config: await load(trust), reload: () => load(false) };
}

async function realFolder(from: string, written = "."): Promise<string> {
  const wanted = resolve(from, written);
  try {
    if (written !== "" && (await stat(wanted)).isDirectory()) return await realpath(wanted);
  } catch {
    // Missing or not accessible: not usable as a working folder either way.
  }
  throw wrongUse(`Working folder not found: ${written === "" ? '""' : wanted}.`);
}
