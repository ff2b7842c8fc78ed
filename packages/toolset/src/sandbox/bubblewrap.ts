/** Sandbox of Linux: bubblewrap, which needs no rights but user namespaces. */
import { spawn } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import { once } from "node:events";
import type { SandboxDriver, SandboxMode, SandboxPolicy } from "./policy.ts";

/** PATH is not searched: a project can put its own programs there, and one called bwrap would be no sandbox. */
const programs = [
  "/usr/bin/bwrap",
  "/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
  "/nix/var/nix/profiles/default/bin/bwrap",
];

const install =
  "Install bubblewrap (apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap)";
const namespaces =
  "Allow unprivileged user namespaces (on Ubuntu: an AppArmor profile for bwrap; in a container: one that may create them)";
const hostsProblem =
  "bubblewrap cannot limit the network to a list of hosts. Set the network to open or to none.";
const patienceMs = 10_000;

export interface BubblewrapOptions {
  /** Path of bwrap. Default: the usual ones. */
  readonly program?: string;
}

/** The result of a check holds for the life of the driver. */
export function bubblewrap(options: BubblewrapOptions = {}): SandboxDriver {
  const program = options.program ?? programs.find((path) => existsSync(path));
  const checks = new Map<SandboxMode, Promise<string | undefined>>();
  const run = (argv: readonly string[]): Promise<Ran> => runProgram(program ?? "", argv);
  let canDisable: Promise<boolean> | undefined;
  const canDisableNamespaces = (): Promise<boolean> =>
    (canDisable ??= run(["--help"]).then(({ output }) => output.includes("--disable-userns")));
  const base = async (mode: SandboxMode): Promise<readonly string[]> =>
    mode === "strict" && (await canDisableNamespaces())
      ? [...isolation, "--disable-userns"]
      : isolation;
  const check = async (mode: SandboxMode): Promise<string | undefined> => {
    if (program === undefined) return `bubblewrap is not installed. ${install}.`;
    const argv = [...(await base(mode)), "--unshare-net", ...view, "--", "/bin/sh", "-c", ":"];
    const { isRun, exitCode, output } = await run(argv);
    if (!isRun) return `${program} cannot be started. ${install}.`;
    const reason = output.trim().split("\n").at(-1) ?? "";
    return exitCode === 0
      ? undefined
      : `bubblewrap cannot make a sandbox here (${reason}). ${namespaces}.`;
  };
  return {
    name: "bubblewrap",
    temporaryPath: () => "/tmp",
    async check({ mode, network }) {
      if (typeof network !== "string") return hostsProblem;
      const known = checks.get(mode) ?? check(mode);
      checks.set(mode, known);
      return known;
    },
    async wrap(argv, policy) {
      // A list of hosts does not pass the check: if it comes here, nothing is reached.
      const network = policy.network === "open" ? [] : ["--unshare-net"];
      return [
        ...[program ?? "/usr/bin/bwrap", ...(await base(policy.mode)), ...network, ...view],
        ...mountsOf(policy).flatMap(toArguments),
        ...["--chdir", policy.cwd, "--", ...argv],
      ];
    },
  };
}

/** A user namespace of its own keeps the command from tracing, and from reading /proc of, processes outside, also as root. */
const isolation = [
  ...["--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
  ...["--unshare-cgroup-try", "--cap-drop", "ALL"],
];

/** As root, /proc/sys could be written without any capability: bubblewrap 0.8 does not cover it. */
const view = [
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ...["--ro-bind", "/proc/sys", "/proc/sys"],
];

interface Mount {
  readonly type: "bind" | "ro-bind" | "tmpfs" | "nothing";
  readonly path: string;
  /** Default: the same path outside. */
  readonly from?: string;
}

/** Sockets of daemons are in /run; those of agents, displays and terminals in /tmp, too. */
const ownFolders = ["/run", "/var/run", "/tmp", "/var/tmp"];
/** Paths in /run that programs need, and that are no sockets. */
const needed = ["/etc/resolv.conf", "/run/current-system"];

/** In the order in which they are made: outer folders first, so that the inner mount counts. */
function mountsOf(policy: SandboxPolicy): readonly Mount[] {
  const { writable, readOnly, pinned, reopened, hidden, temporary } = policy;
  const own = [...new Set(ownFolders.flatMap(toReal))];
  const isCovered = (path: string): boolean =>
    own.some((folder) => isIn(folder, path)) && !writable.some((folder) => isIn(folder, path));
  const mounts: readonly Mount[] = [
    ...own.map((path): Mount => ({
      path,
      ...(path.endsWith("tmp") ? { type: "bind", from: temporary } : { type: "tmpfs" }),
    })),
    ...needed
      .flatMap(toReal)
      .filter((path) => path.startsWith("/run/"))
      .map((path): Mount => ({ type: "ro-bind", path })),
    ...[...writable, ...pinned].map((path): Mount => ({ type: "bind", path })),
    ...readOnly.map((path): Mount => ({ type: "ro-bind", path })),
    ...reopened.map((path): Mount => ({ type: "bind", path })),
    ...hidden.filter((path) => !isCovered(path)).map((path): Mount => ({ type: "nothing", path })),
  ];
  // The last one about a path counts.
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  return [...byPath.values()].toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
}

function toReal(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    // There is no such path here.
    return [];
  }
}

function isIn(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function toArguments({ type, path, from = path }: Mount): readonly string[] {
  switch (type) {
    case "tmpfs":
      return ["--tmpfs", path];
    case "nothing":
      return statSync(path).isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
    default:
      return [`--${type}`, from, path];
  }
}

interface Ran {
  readonly isRun: boolean;
  readonly exitCode: number | null;
  readonly output: string;
}

async function runProgram(program: string, argv: readonly string[]): Promise<Ran> {
  let output = "";
  try {
    const child = spawn(program, argv, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { LC_ALL: "C" },
      timeout: patienceMs,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    }
    const [exitCode] = await once(child, "close");
    return { isRun: true, exitCode, output };
  } catch {
    // The program could not be started.
    return { isRun: false, exitCode: null, output };
  }
}
