/** Settings of a project: all of them if the user trusts the file as it is, else only the harmless ones. */
import { join } from "node:path";
import type { UserFolders } from "./folders.ts";
import { projectFileName } from "./project.ts";
import type { LoadedFile } from "./settings-file.ts";
import { readSettingsFile } from "./settings-file.ts";
import { hashOf, lookUpTrust, rememberTrust } from "./trust.ts";
import { untrustedPart } from "./untrusted.ts";

export interface ProjectFile extends LoadedFile {
  readonly isTrusted: boolean;
  /** One line each. */
  readonly notes: readonly string[];
}

export interface ProjectOptions {
  readonly folders: UserFolders;
  /** True to trust the file as it is now, and to remember that. */
  readonly trust: boolean;
}

/** Throws a `ConfigError` if the file is invalid, trusted or not. */
export async function readProjectFile(
  folder: string,
  { folders, trust }: ProjectOptions,
): Promise<ProjectFile> {
  const path = join(folder, projectFileName);
  if (path === folders.configFile) return withoutFile(path);
  const read = await readSettingsFile(path, "project", folder);
  const { bytes } = read;
  if (bytes === undefined) {
    return trust
      ? withoutFile(path, [`--trust has nothing to trust: ${path} does not exist.`])
      : withoutFile(path);
  }
  const hash = hashOf(bytes);
  if (trust) {
    const problem = await rememberTrust(folders.dataFolder, folder, hash);
    const notes = problem === undefined ? [] : [`${path} is trusted this time only: ${problem}.`];
    return { ...read, isTrusted: true, notes };
  }
  const { state, problem } = await lookUpTrust(folders.dataFolder, folder, hash);
  if (state === "trusted") return { ...read, isTrusted: true, notes: [] };
  const { settings, leftOut } = untrustedPart(read.settings);
  if (leftOut.length === 0) return { ...read, settings, isTrusted: false, notes: [] };
  const why =
    problem ?? (state === "changed" ? "it changed since you trusted it" : "not approved yet");
  return {
    ...read,
    settings,
    file: { ...read.file, state: "partly" },
    isTrusted: false,
    notes: [
      `${path} is not trusted (${why}): ignoring ${leftOut.join(", ")}. Read it, then use --trust.`,
    ],
  };
}

/** The file does not exist, or it is the user's own settings file. */
function withoutFile(path: string, notes: readonly string[] = []): ProjectFile {
  return {
    file: { path, role: "project", state: "absent" },
    settings: {},
    isTrusted: false,
    notes,
  };
}
