/** The settings of a project: all of them if the user trusts the file as it is, else what can do no harm. */
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
  /** Whether to trust the file as it is now, and to remember that. */
  readonly trust: boolean;
  /** Those that are known without it. */
  readonly vendorIds: ReadonlySet<string>;
}

/** Throws a `ConfigError` for a file that is wrong, trusted or not. */
export async function readProjectFile(
  folder: string,
  { folders, trust, vendorIds }: ProjectOptions,
): Promise<ProjectFile> {
  const path = join(folder, projectFileName);
  if (path === folders.configFile) return withoutFile(path);
  const read = await readSettingsFile(path, "project", folder);
  const { bytes } = read;
  if (bytes === undefined) {
    return trust
      ? withoutFile(path, [`--trust has nothing to trust: there is no ${path}.`])
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
  const { settings, leftOut } = untrustedPart(read.settings, vendorIds);
  if (leftOut.length === 0) return { ...read, settings, isTrusted: false, notes: [] };
  const why =
    problem ?? (state === "changed" ? "it has changed since" : "nobody said that it is to be");
  return {
    ...read,
    settings,
    file: { ...read.file, state: "partly" },
    isTrusted: false,
    notes: [
      `${path} is not trusted (${why}), so these settings of it do nothing: ${leftOut.join(", ")}. Read it, then use --trust.`,
    ],
  };
}

/** None is there, or the one that is there is the user's own already. */
function withoutFile(path: string, notes: readonly string[] = []): ProjectFile {
  return {
    file: { path, role: "project", state: "absent" },
    settings: {},
    isTrusted: false,
    notes,
  };
}
