/** Paths of the user's own files. */
import { posix, resolve, win32 } from "node:path";
import type { Env } from "./env.ts";

export interface UserFolders {
  readonly configFile: string;
  readonly dataFolder: string;
}

/** Follows XDG on Unix, and uses the application folders on Windows. CAPSTAN_CONFIG and CAPSTAN_DATA override both. */
export function userFolders(env: Env, platform: NodeJS.Platform, home: string): UserFolders {
  const { join } = platform === "win32" ? win32 : posix;
  const [config, data] =
    platform === "win32"
      ? [
          absolute(env["APPDATA"], platform) ?? join(home, "AppData", "Roaming"),
          absolute(env["LOCALAPPDATA"], platform) ?? join(home, "AppData", "Local"),
        ]
      : [
          absolute(env["XDG_CONFIG_HOME"], platform) ?? join(home, ".config"),
          absolute(env["XDG_DATA_HOME"], platform) ?? join(home, ".local", "share"),
        ];
  const named = { file: env["CAPSTAN_CONFIG"], folder: env["CAPSTAN_DATA"] };
  return {
    configFile: named.file ? resolve(named.file) : join(config, "capstan", "config.json"),
    dataFolder: named.folder ? resolve(named.folder) : join(data, "capstan"),
  };
}

/** Ignores relative paths, as the XDG specification requires. */
function absolute(path: string | undefined, platform: NodeJS.Platform): string | undefined {
  const { isAbsolute } = platform === "win32" ? win32 : posix;
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
