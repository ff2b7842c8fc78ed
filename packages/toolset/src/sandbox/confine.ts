/** Confines one command: makes the policy of a sandbox from its options, and cleans up after the command. */
import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { relative, resolve } from "node:path";
import { FileError } from "../files/file-error.ts";
import { defaultNetwork, sandboxDriver } from "./drivers.ts";
import type { NestedFolders } from "./nested-folders.ts";
import type { SandboxDriver, SandboxMode, SandboxNetwork, SandboxPolicy } from "./policy.ts";
import type { Protection } from "./protected-paths.ts";
import {
  foldersBetween,
  pathsIn,
  protectionOf,
  setAside,
  usualProtectedPaths,
} from "./protected-paths.ts";
import { socketPaths } from "./sockets.ts";

/** Limits of the commands that `bash` runs: where they may write, and which network they reach. */
export interface SandboxOptions {
  /** `write`: commands write only to the working folder, `roots`, `writable` and a temporary folder. `strict`: in addition they have no network, and `secretPaths` are hidden. */
  readonly mode: SandboxMode;
  /** Further files and folders that commands may write to, or sockets that they may use. Missing ones are ignored. */
  readonly writable?: readonly string[];
  /** Default: open in `write`, none in `strict`. */
  readonly network?: SandboxNetwork;
  /** Paths, relative to each writable folder and to those below it, that commands must not change, because they run code later. Default: `.git`, which stands for its configuration and hooks. */
  readonly protectedPaths?: readonly string[];
  /** Absolute paths that are read-only in `write` and hidden in `strict`. */
  readonly secretPaths?: readonly string[];
  /** Default: the one of this platform. */
  readonly driver?: SandboxDriver;
  /** Absolute paths that commands of this session may change although they are protected. */
  openPaths?(sessionId: string): readonly string[];
}

export interface Confinement {
  readonly cwd: string;
  /** Real paths of the working folder and the roots. */
  readonly roots: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Real path of the session's temporary folder. */
  readonly temporary: string;
  readonly sessionId: string;
  readonly nested: NestedFolders;
}

export interface Confined {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Returns `argv` as files are now, if one that the sandbox covers has vanished. */
  again(): Promise<readonly string[]>;
  /** To be called once all processes of the command have ended. Returns a sentence about what it has done, if anything. */
  settle(): Promise<string | undefined>;
}

/** Throws a `FileError` with code `no_permission` if the sandbox does not work here: the command must not run then. */
export async function confine(
  argv: readonly string[],
  options: SandboxOptions,
  confinement: Confinement,
): Promise<Confined> {
  const { driver = sandboxDriver(), mode } = options;
  const { network = defaultNetwork(mode) } = options;
  const problem = await driver.check({ mode, network });
  if (problem !== undefined) throw refused(problem);
  const plan = (): Promise<Planned> => toPolicy(options, { ...confinement, network });
  const { policy, unmounted } = await plan();
  const path = driver.temporaryPath(confinement.temporary);
  return {
    argv: await driver.wrap(argv, policy),
    again: async () => driver.wrap(argv, (await plan()).policy),
    env: { ...cachesIn(path), ...confinement.env, TMPDIR: path, TMP: path, TEMP: path },
    async settle() {
      const moved = await setAside(unmounted);
      const names = moved.map((name) => relative(confinement.cwd, name)).join(", ");
      const notes = [
        ...(moved.length === 0
          ? []
          : [
              `(Files like these may run code later, so they were renamed: ${names}. Only a rule of the user that names such a file allows it.)`,
            ]),
        ...[confinement.nested.takeNote() ?? []].flat(),
      ];
      return notes.length === 0 ? undefined : notes.join("\n");
    },
  };
}

function refused(problem: string): FileError {
  return new FileError(
    "no_permission",
    `The command did not run, because the user wants commands in a sandbox, which does not work here: ${problem} Tell the user.`,
  );
}

/** Package managers keep their caches in the home folder, which is read-only. */
function cachesIn(path: string): NodeJS.ProcessEnv {
  return { XDG_CACHE_HOME: `${path}/.cache`, npm_config_cache: `${path}/.cache/npm` };
}

interface Planned {
  readonly policy: SandboxPolicy;
  readonly unmounted: Protection["unmounted"];
}

async function toPolicy(
  options: SandboxOptions,
  confinement: Confinement & { readonly network: SandboxNetwork },
): Promise<Planned> {
  const { cwd, roots, env, temporary, sessionId, network, nested } = confinement;
  const { mode, protectedPaths = usualProtectedPaths } = options;
  const listed = realPaths((options.writable ?? []).map((path) => resolve(roots[0] ?? cwd, path)));
  const writable = [...new Set([...roots, ...listed])];
  if (writable.includes("/")) throw refused("The root of the file system cannot be made writable.");
  const open = (options.openPaths?.(sessionId) ?? []).map((path) => resolve(path));
  const isOpen = (path: string): boolean => open.some((one) => isIn(one, path));
  const rootOf = (path: string): string | undefined =>
    writable.filter((folder) => isIn(folder, path)).toSorted((a, b) => a.length - b.length)[0];
  const home = realPaths([homedir()]).filter((path) => rootOf(path) !== undefined);
  const tops = [...new Set([...writable, ...home])];
  const found = await Promise.all(
    outermost(writable).map((folder) => nested.below(folder, protectedPaths)),
  );
  const below = found.flatMap(({ folders }) => folders).filter((folder) => !tops.includes(folder));
  const protections = [
    ...tops.map((folder) => ({ folder, paths: protectedPaths })),
    // Files that are not there may be made: a project that a command clones has them.
    ...below.map((folder) => ({ folder, paths: pathsIn(folder, protectedPaths) })),
  ].map(({ folder, paths }) => protectionOf(folder, rootOf(folder) ?? folder, paths, isOpen));
  const secret = outermost(realPaths(options.secretPaths ?? []));
  const secretInside = secret.filter((path) => rootOf(path) !== undefined);
  const readOnly = [
    ...protections.flatMap((one) => one.readOnly),
    ...(mode === "write" ? secretInside : []),
  ].filter((path) => !listed.includes(path));
  const inner = [...writable, ...secretInside].flatMap((path) =>
    foldersBetween(rootOf(path) ?? path, path),
  );
  const sockets = realPaths(socketPaths(env)).filter(
    (path) => !isIn(temporary, path) && !listed.some((one) => isIn(one, path)),
  );
  const policy: SandboxPolicy = {
    ...{ mode, cwd, writable, readOnly, network, temporary },
    pinned: [...new Set([...protections.flatMap((one) => one.pinned), ...inner])],
    // One that is a link would open another file.
    reopened: open.filter((path) => isReal(path) && readOnly.some((one) => isIn(one, path))),
    hidden: [...sockets, ...(mode === "strict" ? secret : [])],
  };
  return { policy, unmounted: protections.flatMap((one) => one.unmounted) };
}

/** Leaves out paths that are in another one. */
function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isIn(other, path)));
}

function isReal(path: string): boolean {
  return existsSync(path) && realpathSync(path) === path;
}

function realPaths(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path)).map((path) => realpathSync(path));
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
