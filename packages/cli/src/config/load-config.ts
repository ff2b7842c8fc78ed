/** Loads all settings, from the user's file to the flags, and reports what was ignored. */
import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { vendorRows } from "@capstan/providers/vendors";
import { ConfigError } from "../errors/config-error.ts";
import type { Env } from "./env.ts";
import type { UserFolders } from "./folders.ts";
import type { InstructionFile } from "./instructions.ts";
import { readInstructions } from "./instructions.ts";
import { mergeLayers, toSettings } from "./layers.ts";
import type { FlagSettings } from "./outer-settings.ts";
import { settingsOfEnv, settingsOfFlags } from "./outer-settings.ts";
import { readMcpJson } from "./mcp-json.ts";
import { findProject } from "./project.ts";
import { readProjectFile } from "./project-file.ts";
import type { RuleLayer } from "../permissions/rule.ts";
import { withLayer } from "../permissions/rule.ts";
import type { FileSettings } from "./schema.ts";
import type { Settings } from "./settings.ts";
import type { ConfigFile, LoadedFile } from "./settings-file.ts";
import { readSettingsFile } from "./settings-file.ts";

export type { FlagSettings } from "./outer-settings.ts";
export type { ConfigFile } from "./settings-file.ts";

export interface LoadedConfig {
  readonly settings: Settings;
  readonly files: readonly ConfigFile[];
  /** One line each, for people: what was ignored, and how to enable it. */
  readonly notes: readonly string[];
  /** Nearest folder from the working folder upwards that contains .git or capstan.json, else the working folder; a real path. */
  readonly projectFolder: string;
  /** Folder of the user's own settings. */
  readonly userFolder: string;
  /** True if the project has a settings file that is trusted as it is now. */
  readonly isTrusted: boolean;
  readonly folders: UserFolders;
  /** AGENTS.md: the user's first, then from the project's folder down to the working folder. */
  readonly instructions: readonly InstructionFile[];
  /** Mistakes because of which all settings are the defaults; one line each. Only `doctor` continues with them. */
  readonly problems?: readonly string[];
}

export interface LoadConfigInput {
  readonly cwd: string;
  readonly env: Env;
  readonly folders: UserFolders;
  readonly flags: FlagSettings;
  /** True to trust the project's file, as it is now, from now on. */
  readonly trust: boolean;
}

/** Throws a `ConfigError` that names the position: `path:line:column`, the variable or the flag. */
export async function loadConfig(input: LoadConfigInput): Promise<LoadedConfig> {
  const { env, folders, flags } = input;
  const cwd = await realFolder(input.cwd);
  // Mistakes the user typed just now are reported first.
  const outer = mergeLayers(settingsOfEnv(env, cwd), settingsOfFlags(flags));
  const user = await readUserFile(folders.configFile, env);
  const projectFolder = await findProject(cwd);
  const project = await readProjectFile(projectFolder, input);
  const foreign = await readMcpJson(projectFolder, input);
  const layers = [
    fromLayer(user.settings, "user"),
    { mcp: { servers: foreign.servers } },
    fromLayer(project.settings, "project"),
    fromLayer(outer, "flags"),
  ];
  const settings = toSettings(layers.reduce(mergeLayers, {}), folders.dataFolder);
  requireVendors(settings, [project, user]);
  requireSandbox(settings, [project, user]);
  const named = (flags.roots ?? []).map((root) => resolve(cwd, root));
  const roots = await presentRoots([...settings.roots, ...named]);
  const userFolder = dirname(folders.configFile);
  const instructions = await readInstructions({
    user: userFolder,
    project: projectFolder,
    cwd,
  });
  return {
    settings: { ...settings, roots: roots.present },
    files: [user.file, project.file],
    notes: [...project.notes, ...foreign.notes, ...roots.notes, ...instructions.notes],
    projectFolder,
    userFolder,
    isTrusted: project.isTrusted,
    folders,
    instructions: instructions.files,
  };
}

/** Settings without any layer, for a command that must run in spite of these problems. */
export function defaultConfig(
  cwd: string,
  { configFile, dataFolder }: UserFolders,
  problems: readonly string[],
): LoadedConfig {
  return {
    settings: toSettings({}, dataFolder),
    files: [],
    notes: [],
    projectFolder: cwd,
    userFolder: dirname(configFile),
    isTrusted: false,
    folders: { configFile, dataFolder },
    instructions: [],
    problems,
  };
}

/** Notes the layer in each rule, so that a decision can name it. */
function fromLayer(settings: FileSettings, layer: RuleLayer): FileSettings {
  const { permissions } = settings;
  if (permissions === undefined) return settings;
  return {
    ...settings,
    permissions: {
      allow: withLayer(permissions.allow, layer),
      ask: withLayer(permissions.ask, layer),
      deny: withLayer(permissions.deny, layer),
    },
  };
}

async function realFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    throw new ConfigError("unreadable_config", `Working folder not found: ${path}`, { cause });
  }
}

async function readUserFile(path: string, env: Env): Promise<LoadedFile> {
  const read = await readSettingsFile(path, "user");
  if (read.file.state === "absent" && env["CAPSTAN_CONFIG"]) {
    throw new ConfigError(
      "unreadable_config",
      `CAPSTAN_CONFIG names ${path}, which does not exist`,
    );
  }
  return read;
}

const knownVendors: readonly string[] = vendorRows.map(({ id }) => id);

/** A custom vendor needs what a row of the vendor list states. Reports the last file that mentions it. */
function requireVendors({ providers }: Settings, files: readonly LoadedFile[]): void {
  for (const [id, { protocol, baseUrl }] of Object.entries(providers)) {
    const missing =
      protocol === undefined ? "protocol" : baseUrl === undefined ? "baseUrl" : undefined;
    if (missing === undefined || knownVendors.includes(id)) continue;
    const source = files.find(({ settings }) => Object.hasOwn(settings.providers ?? {}, id));
    const message = `has no ${missing}, which is required for vendors other than ${knownVendors.join(", ")}`;
    const error = source?.errorAt?.(["providers", id], message);
    if (error !== undefined) throw error;
  }
}

/** A limit that nothing enforces must not look as if it held. */
function requireSandbox({ tools }: Settings, files: readonly LoadedFile[]): void {
  const { sandbox = "off", network = "open" } = tools.bash;
  if (sandbox !== "off" || network === "open") return;
  const source = files.find(({ settings }) => settings.tools?.bash?.network !== undefined);
  const message = "is a limit of the sandbox: set tools.bash.sandbox to write or strict";
  const error = source?.errorAt?.(["tools", "bash", "network"], message);
  if (error !== undefined) throw error;
}

/** An unmounted disk must not prevent work in other folders. */
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
      .map((root) => `roots: ${root} is not a folder: ignored.`),
  };
}
