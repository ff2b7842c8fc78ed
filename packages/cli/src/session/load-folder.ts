/** Loads the folder that a command works in, and its settings. */
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { FolderRequest } from "../command-line/request.ts";
import { userFolders } from "../config/folders.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { defaultConfig, loadConfig } from "../config/load-config.ts";
import { wayInside } from "../permissions/way-inside.ts";
import type { Io } from "../process/io.ts";
import { ConfigError } from "../errors/config-error.ts";
import { wrongUse } from "../errors/command-error.ts";

export interface Folder {
  /** Real path. */
  readonly cwd: string;
  readonly config: LoadedConfig;
  /** Folders that the user has named: rules for all files of a tool hold in them. The project's folder is opened for reading only. */
  readonly namedFolders: readonly string[];
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
  const config = await load(trust);
  const { roots } = config.settings;
  return {
    cwd,
    config: await withProject(config, cwd, home),
    namedFolders: [cwd, ...(await Promise.all(roots.map((root) => realpath(root))))],
    reload: async () => withProject(await load(false), cwd, home),
  };
}

async function withProject(config: LoadedConfig, cwd: string, home: string): Promise<LoadedConfig> {
  const { settings, projectFolder } = config;
  if (projectFolder === cwd || (await containsHome(projectFolder, home))) return config;
  return { ...config, settings: { ...settings, roots: [...settings.roots, projectFolder] } };
}

/** Like `loadFolder`, with the default settings and the problems if the configuration is wrong. */
export async function loadFolderAnyway(
  io: Pick<Io, "env" | "platform" | "home" | "cwd">,
  request: Pick<FolderRequest, "cwd" | "flags" | "isTrusting">,
): Promise<Folder> {
  try {
    return await loadFolder(io, request);
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    const cwd = await realFolder(io.cwd, request.cwd);
    const folders = userFolders(io.env, io.platform, io.home);
    const config = defaultConfig(cwd, folders, thrown.message.split("\n"));
    return { cwd, config, namedFolders: [cwd], reload: async () => config };
  }
}

/** A home folder under version control is no project whose files may all be read. */
async function containsHome(folder: string, home: string): Promise<boolean> {
  // A home that does not exist is judged by its name.
  const real = await realpath(home).catch(() => home);
  return wayInside(folder, real) !== undefined;
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
