/** The sandbox of a folder's commands, by the settings and the rules. */
import { basename, join, resolve } from "node:path";
import type { SandboxOptions } from "@capstan/toolset";
import type { LoadedConfig } from "../config/load-config.ts";
import type { Permissions, Settings } from "../config/settings.ts";
import { protectedPaths } from "../permissions/protected-places.ts";
import type { CallToDecide, Decision } from "../permissions/permissions.ts";
import type { Folder } from "./load-folder.ts";

export interface SandboxRules {
  readonly current: (sessionId: string) => Permissions;
  readonly decide: (call: CallToDecide, sessionId: string) => Decision;
}

/** Undefined if commands run without a sandbox. */
export function sandboxOf(
  { cwd, config }: Folder,
  { current, decide }: SandboxRules,
): SandboxOptions | undefined {
  const { sandbox = "off", writable = [], network } = config.settings.tools.bash;
  if (sandbox === "off") return undefined;
  const folders = [cwd, ...config.settings.roots, ...writable];
  return {
    mode: sandbox,
    writable,
    protectedPaths,
    secretPaths: secretPathsOf(config),
    openPaths: (sessionId) =>
      namedPaths(current(sessionId), cwd, folders).filter(
        (path) => decide({ toolName: "edit", input: { path } }, sessionId).type === "allow",
      ),
    ...(network !== undefined && { network }),
  };
}

/** Settings, trust and sessions of the command itself. */
function secretPathsOf({ folders, settings, userFolder }: LoadedConfig): readonly string[] {
  const { store } = settings;
  return [
    // A file that CAPSTAN_CONFIG names may be in any folder.
    basename(userFolder) === "capstan" ? userFolder : folders.configFile,
    folders.dataFolder,
    ...["", "-wal", "-shm"].map((suffix) => `${store}${suffix}`),
  ];
}

/** Paths that rules without wildcards name. */
function namedPaths(
  { allow }: Permissions,
  cwd: string,
  folders: readonly string[],
): readonly string[] {
  return allow.flatMap(({ text, pattern }) => {
    if (pattern?.type !== "path" || pattern.exactName === undefined) return [];
    const written = text.slice(text.indexOf("(") + 1, -1).replaceAll(/\\(.)/g, "$1");
    return written.includes("/")
      ? [resolve(cwd, written)]
      : folders.map((folder) => join(folder, written));
  });
}

/** One line for the model; undefined without a sandbox. */
export function describeSandbox({
  roots,
  tools,
}: Pick<Settings, "roots" | "tools">): string | undefined {
  const { sandbox = "off", writable = [], network } = tools.bash;
  if (sandbox === "off") return undefined;
  const places = ["the working folder", ...roots, ...writable, "/tmp"].join(", ");
  const reach = network ?? (sandbox === "strict" ? "none" : "open");
  const net =
    reach === "open"
      ? "the network is open"
      : reach === "none"
        ? "there is no network"
        : `of the network only ${reach.join(", ")} can be reached`;
  return `Sandbox: commands of bash can write only to ${places}, and not to files that run code later, such as .git/hooks and .npmrc; ${net}.`;
}
