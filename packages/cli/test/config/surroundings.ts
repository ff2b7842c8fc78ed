/** A user with folders, and a project to work in: all in one folder that is gone after the test. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Env } from "../../src/config/env.ts";
import { userFolders } from "../../src/config/folders.ts";
import type { UserFolders } from "../../src/config/folders.ts";
import type { FlagSettings, LoadedConfig } from "../../src/config/load-config.ts";
import { loadConfig } from "../../src/config/load-config.ts";

export interface Surroundings {
  /** Real. */
  readonly root: string;
  readonly project: string;
  readonly folders: UserFolders;
  write(path: string, content: string | Uint8Array): Promise<void>;
  load(options?: LoadOptions): Promise<LoadedConfig>;
  /** The message of the error that it is to fail with. */
  refuse(options?: LoadOptions): Promise<string>;
}

interface LoadOptions {
  /** From the root on. Default: the project's folder. */
  readonly cwd?: string;
  readonly env?: Env;
  readonly flags?: FlagSettings;
  readonly trust?: boolean;
  /** Default: those of a home in the root. */
  readonly folders?: UserFolders;
}

/** By paths from the root on: `home/.config/capstan/config.json`, `project/capstan.json` and others. */
export async function surroundings(
  files: Readonly<Record<string, string | Uint8Array | object>> = {},
): Promise<Surroundings> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "capstan-config-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const project = join(root, "project");
  await mkdir(join(project, ".git"), { recursive: true });
  const write = async (path: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  for (const [path, content] of Object.entries(files)) {
    const isPlain = typeof content === "string" || content instanceof Uint8Array;
    await write(path, isPlain ? content : JSON.stringify(content));
  }
  const home = userFolders({}, "linux", join(root, "home"));
  const load = (options: LoadOptions = {}): Promise<LoadedConfig> => {
    const { cwd = "project", env = {}, folders = home, flags = {}, trust = false } = options;
    return loadConfig({ cwd: join(root, cwd), env, folders, flags, trust });
  };
  const refuse = async (options?: LoadOptions): Promise<string> => {
    const thrown: unknown = await load(options).then(
      () => new Error("it was loaded"),
      (error: unknown) => error,
    );
    if (!(thrown instanceof Error) || thrown.name !== "ConfigError") throw thrown;
    return thrown.message.replaceAll(`${root}/`, "");
  };
  return { root, project, folders: home, write, load, refuse };
}

export const userFile = "home/.config/capstan/config.json";
export const projectFile = "project/capstan.json";
export const trustedFile = "home/.local/share/capstan/trusted.json";

/** The rules of a list, as they are written. */
export function textsOf(rules: readonly { readonly text: string }[]): readonly string[] {
  return rules.map(({ text }) => text);
}
