/** All settings, from the user's file to the flags, and what was left out of them. */
import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { vendorRows } from "@capstan/providers/vendors";
import { ConfigError } from "../errors/config-error.ts";
import type { Env } from "./env.ts";
import type { UserFolders } from "./folders.ts";
import type { InstructionFile } from "./instructions.ts";
import { readInstructions } from "./instructions.ts";
import { mergeLayers, toSettings } from "./layers.ts";
import type { FlagSettings } from "./outer-settings.ts";
import { settingsOfEnv, settingsOfFlags } from "./outer-settings.ts";
import { findProject } from "./project.ts";
import { readProjectFile } from "./project-file.ts";
import type { Settings } from "./settings.ts";
import type { ConfigFile, LoadedFile } from "./settings-file.ts";
import { readSettingsFile } from "./settings-file.ts";

export type { FlagSettings } from "./outer-settings.ts";
export type { ConfigFile } from "./settings-file.ts";

export interface LoadedConfig {
  readonly settings: Settings;
  readonly files: readonly ConfigFile[];
  /** One line each, for people: what was left out, and how to have it. */
  readonly notes: readonly string[];
  /** The nearest folder from the working folder upwards that holds .git or capstan.json, else the working folder; real. */
  readonly projectFolder: string;
  /** Whether the project has a file of settings that is trusted as it is now. */
  readonly isTrusted: boolean;
  /** AGENTS.md: the user's first, then from the project's folder down to the working folder. */
  readonly instructions: readonly InstructionFile[];
}

export interface LoadConfigInput {
  readonly cwd: string;
  readonly env: Env;
  readonly folders: UserFolders;
  readonly flags: FlagSettings;
  /** Whether the project's file is to be trusted, from now on and as it is now. */
  readonly trust: boolean;
}

/** Throws a `ConfigError` that names the place: `path:line:column`, the variable or the flag. */
export async function loadConfig(input: LoadConfigInput): Promise<LoadedConfig> {
  const { env, folders, flags } = input;
  const cwd = await realFolder(input.cwd);
  // What was typed just now is the first thing to be told about.
  const outer = mergeLayers(settingsOfEnv(env, cwd), settingsOfFlags(flags));
  const user = await readUserFile(folders.configFile, env);
  const projectFolder = await findProject(cwd);
  const vendorIds = new Set([...knownVendors, ...Object.keys(user.settings.providers ?? {})]);
  const project = await readProjectFile(projectFolder, { ...input, vendorIds });
  const layers = [user.settings, project.settings, outer];
  const settings = toSettings(layers.reduce(mergeLayers, {}), folders.dataFolder);
  requireVendors(settings, [project, user]);
  const roots = await presentRoots(settings.roots);
  const instructions = await readInstructions({
    user: dirname(folders.configFile),
    project: projectFolder,
    cwd,
  });
  return {
    settings: { ...settings, roots: roots.present },
    files: [user.file, project.file],
    notes: [...project.notes, ...roots.notes, ...instructions.notes],
    projectFolder,
    isTrusted: project.isTrusted,
    instructions: instructions.files,
  };
}

async function realFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new ConfigError("unreadable_config", `There is no folder ${path} to work in`, { cause });
  }
}

async function readUserFile(path: string, env: Env): Promise<LoadedFile> {
  const read = await readSettingsFile(path, "user");
  if (read.file.state === "absent" && env["CAPSTAN_CONFIG"]) {
    throw new ConfigError("unreadable_config", `CAPSTAN_CONFIG names ${path}, which is not there`);
  }
  return read;
}

const knownVendors: readonly string[] = vendorRows.map(({ id }) => id);

/** A vendor that nobody knows needs what its row would say. Files are asked from the last one on. */
function requireVendors({ providers }: Settings, files: readonly LoadedFile[]): void {
  for (const [id, { protocol, baseUrl }] of Object.entries(providers)) {
    const missing =
      protocol === undefined ? "protocol" : baseUrl === undefined ? "baseUrl" : undefined;
    if (missing === undefined || knownVendors.includes(id)) continue;
    const source = files.find(({ settings }) => Object.hasOwn(settings.providers ?? {}, id));
    const message = `has no ${missing}, which a vendor needs that is not one of ${knownVendors.join(", ")}`;
    const error = source?.errorAt?.(["providers", id], message);
    if (error !== undefined) throw error;
  }
}

/** A disk that is not mounted keeps nobody from working elsewhere. */
async function presentRoots(
  roots: readonly string[],
): Promise<{ readonly present: readonly string[]; readonly notes: readonly string[] }> {
  const isFolder = await Promise.all(
    roots.map((root) =>
      stat(root).then(
        (stats) => stats.isDirectory(),
        () => false,
      ),
    ),
  );
  return {
    present: roots.filter((_, index) => isFolder[index]),
    notes: roots
      .filter((_, index) => !isFolder[index])
      .map((root) => `roots: ${root} is no folder and is left out.`),
  };
}
