/** Limits of a sandbox, and the contract of the drivers that enforce them. */

/** `write`: commands write only to listed paths. `strict`: in addition they have no network, and secret paths are hidden. */
export type SandboxMode = "write" | "strict";

/** A list names the only hosts that can be reached. */
export type SandboxNetwork = "open" | "none" | readonly string[];

/** Limits of one command. All paths are absolute, without links, and exist. */
export interface SandboxPolicy {
  readonly mode: SandboxMode;
  /** Folder in which the command starts. */
  readonly cwd: string;
  /** Files and folders that can be changed, with everything in them that `readOnly` does not name. */
  readonly writable: readonly string[];
  /** Exceptions inside of writable folders. */
  readonly readOnly: readonly string[];
  /** Folders inside of writable ones that can be changed but not renamed, because a read-only path is in them. */
  readonly pinned: readonly string[];
  /** Exceptions inside of read-only folders. */
  readonly reopened: readonly string[];
  /** Files and folders that cannot be seen. */
  readonly hidden: readonly string[];
  readonly network: SandboxNetwork;
  /** Folder that commands see as their temporary folder. */
  readonly temporary: string;
}

/** Confines commands by a mechanism of the operating system. */
export interface SandboxDriver {
  readonly name: string;
  /** Returns what is missing and how to get it, in one or two sentences; undefined if the sandbox works on this machine. */
  check(wanted: Pick<SandboxPolicy, "mode" | "network">): Promise<string | undefined>;
  /** Path at which commands see the folder `temporary` of the policy. */
  temporaryPath(temporary: string): string;
  /** Returns the command that runs `argv` within the policy. The check has passed. */
  wrap(argv: readonly string[], policy: SandboxPolicy): Promise<readonly string[]>;
}
