/** Reads one settings file. */
import { dirname, resolve } from "node:path";
import { wayInside } from "../permissions/way-inside.ts";
import { ConfigError } from "../errors/config-error.ts";
import type { ParsedSettings } from "./parse-settings.ts";
import { parseSettings } from "./parse-settings.ts";
import { readTextFile } from "./read-file.ts";
import type { FileSettings } from "./schema.ts";

export interface ConfigFile {
  readonly path: string;
  readonly role: "user" | "project";
  /** `partly`: the file is not trusted, and some of its settings are ignored until it is. */
  readonly state: "read" | "absent" | "partly";
}

export interface LoadedFile {
  readonly file: ConfigFile;
  /** Paths are absolute. */
  readonly settings: FileSettings;
  readonly bytes?: Buffer;
  readonly errorAt?: ParsedSettings["errorAt"];
}

const maxBytes = 256 * 1024;

/** `within` is the folder that links must not leave. */
export async function readSettingsFile(
  path: string,
  role: ConfigFile["role"],
  within?: string,
): Promise<LoadedFile> {
  const mayLead = (real: string): boolean =>
    within === undefined || wayInside(within, real) !== undefined;
  const read = await readTextFile(path, maxBytes, mayLead);
  if (read.type === "absent") return { file: { path, role, state: "absent" }, settings: {} };
  if (read.type === "problem") throw unreadable(path, read.reason);
  if (read.isCut) throw unreadable(path, `is larger than ${maxBytes} bytes`);
  const { settings, errorAt } = parseSettings(path, read.text);
  return {
    file: { path, role, state: "read" },
    settings: withSources(withAbsolutePaths(settings, dirname(path)), path),
    bytes: read.bytes,
    errorAt,
  };
}

function unreadable(path: string, reason: string): ConfigError {
  return new ConfigError("unreadable_config", `${path} ${reason}: fix or remove it`);
}

/** Notes the file in each MCP server. A relative folder of a server starts at the file's folder. */
function withSources(settings: FileSettings, path: string): FileSettings {
  const { servers } = settings.mcp ?? {};
  if (servers === undefined) return settings;
  const named = Object.entries(servers).map(([name, { cwd, ...server }]) => {
    const folder = cwd === undefined ? {} : { cwd: resolve(dirname(path), cwd) };
    return [name, { ...server, ...folder, source: path }] as const;
  });
  return { ...settings, mcp: { ...settings.mcp, servers: Object.fromEntries(named) } };
}

/** Resolves paths relative to the file's folder. */
function withAbsolutePaths(settings: FileSettings, folder: string): FileSettings {
  const { roots, store, tools } = settings;
  const writable = tools?.bash?.writable?.map((path) => resolve(folder, path));
  return {
    ...settings,
    ...(roots && { roots: roots.map((root) => resolve(folder, root)) }),
    ...(writable && { tools: { ...tools, bash: { ...tools?.bash, writable } } }),
    ...(store !== undefined && { store: resolve(folder, store) }),
  };
}
