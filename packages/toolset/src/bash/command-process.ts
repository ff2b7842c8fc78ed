/** A command and all processes it starts: a group that ends as one. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { randomUUID } from "node:crypto";
import { marker, signalMarked } from "./marked-processes.ts";
import { PlainOutput } from "./plain-output.ts";

export interface CommandOptions {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly shell: string;
  /** Runs the shell with the command in a sandbox. */
  readonly sandbox?: Sandboxed;
  /** Called with output of both streams, in order of arrival, without control sequences. */
  onOutput(text: string): void;
}

interface Sandboxed {
  /** Whole command, with the program of the sandbox. It has to run `inSandbox`. */
  readonly argv: readonly string[];
  /** Returns the command again, as files are now. Called if the sandbox could not be set up, and so nothing has run. */
  again(): Promise<readonly string[]>;
  /** Called once no process is left. Returns a note for the end of the output. */
  settle(): Promise<string | undefined>;
}

/**
 * Arguments that run a shell in a sandbox, and report that it runs. Only what is inside gets the marker: a signal to the sandbox itself would
 * end all of it at once.
 */
export function inSandbox(shell: string, command: string): readonly string[] {
  const mark = `export ${marker}="$${outerMarker}"; unset ${outerMarker}; echo >&4; exec 4>&-; exec "$0" "$@"`;
  return ["/bin/sh", "-c", mark, shell, "-c", command];
}

const outerMarker = "CAPSTAN_SANDBOX_OF";

export interface Ending {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Time processes have to exit before they are killed: less than the second that a turn waits for a tool after an abort. */
const graceMs = 700;
/** Files that a sandbox covers may vanish while it is set up. */
const maxSetUps = 4;
/** How long to wait for output that a process outside the group holds open. */
const lateOutputMs = 300;

/**
 * A guard in the group waits for the end of a pipe that only this process holds, then kills what has left the group but
 * still has the marker, and the group. So nothing keeps running, however this process ends. The command replaces the shell that started
 * the guard, and does not know of it. Where there is no /proc, only the group is killed. A sandbox ends with its group.
 */
const guarded = [
  '{ trap "" TERM HUP INT; read -r _ <&3',
  "read -r self _ </proc/self/stat",
  `[ -z "$${marker}" ] || for one in $(grep -lsxzF "${marker}=$${marker}" /proc/[0-9]*/environ)`,
  'do one=${one%/environ}; one=${one#/proc/}; [ "$one" = "$self" ] || kill -9 "$one"; done',
  'kill -9 -$$; } </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$0" "$@"',
].join("; ");

export class CommandProcess {
  /** Resolves once the command has ended and none of its processes is left. Rejects if it could not be started. */
  readonly ended: Promise<Ending>;
  readonly #options: CommandOptions;
  readonly #id = randomUUID();
  #child: ChildProcess;
  #isUnref = false;
  /** Output of a sandbox that is being set up; undefined once the command runs. */
  #held: string | undefined;
  #stopping: Promise<void> | undefined;
  /** From then on the group id may belong to another process. */
  #isOver = false;
  #isDone = false;

  constructor(options: CommandOptions) {
    const { command, shell, sandbox } = options;
    this.#options = options;
    this.#child = this.#spawn(sandbox?.argv ?? [shell, "-c", command]);
    this.ended = this.#end();
  }

  #spawn(argv: readonly string[]): ChildProcess {
    const { command, cwd, env, shell, sandbox } = this.#options;
    const isWindows = process.platform === "win32";
    this.#held = sandbox === undefined ? undefined : "";
    const child = spawn(
      isWindows ? shell : "/bin/sh",
      isWindows ? ["-c", command] : ["-c", guarded, ...argv],
      {
        cwd,
        // A capstan that a command has started must not pass on the marker of that command.
        env: {
          ...env,
          [marker]: undefined,
          [sandbox === undefined ? marker : outerMarker]: this.#id,
        },
        // Its own process group.
        detached: !isWindows,
        windowsHide: true,
        stdio: ["ignore", "pipe", "pipe", "pipe", sandbox === undefined ? "ignore" : "pipe"],
      },
    );
    for (const stream of [child.stdout, child.stderr]) {
      const plain = new PlainOutput();
      stream?.setEncoding("utf8").on("data", (text: string) => this.#show(plain.take(text)));
      stream?.on("end", () => this.#show(plain.end()));
    }
    // The guard is killed with the rest, which resets its end of the pipe.
    child.stdio[3]?.on("error", () => {});
    child.stdio[4]?.on("error", () => {}).once("data", () => this.#release());
    return child;
  }

  #show(text: string): void {
    if (text === "") return;
    if (this.#held === undefined) this.#options.onOutput(text);
    else this.#held += text;
  }

  #release(): void {
    const held = this.#held ?? "";
    this.#held = undefined;
    this.#show(held);
  }

  /** Lets this process exit while the command runs. */
  unref(): void {
    this.#isUnref = true;
    this.#child.unref();
    for (const stream of this.#child.stdio) {
      // Pipes of a child are sockets, which the types do not state.
      (stream as { unref?(): void } | null | undefined)?.unref?.();
    }
  }

  /** Ends the command with everything it started, and resolves once it has ended. Never rejects. */
  async stop(): Promise<void> {
    if (!this.#isDone) this.#stopping ??= this.#stop();
    await this.#stopping;
  }

  async #stop(): Promise<void> {
    if (this.#options.sandbox === undefined) this.#kill("SIGTERM");
    const asked = signalMarked(this.#id, "SIGTERM");
    const timer = setTimeout(() => this.#kill("SIGKILL"), graceMs);
    // Callers that await `ended` get the failure or the exit code.
    await this.ended.catch(() => {});
    clearTimeout(timer);
    await asked;
    await signalMarked(this.#id, "SIGKILL");
  }

  async #end(): Promise<Ending> {
    const { sandbox } = this.#options;
    let ending = await this.#endOf(this.#child);
    for (let count = 1; count < maxSetUps && this.#held !== undefined; count += 1) {
      const argv = await sandbox?.again();
      if (argv === undefined || this.#stopping !== undefined) break;
      this.#child = this.#spawn(argv);
      this.#isOver = false;
      if (this.#isUnref) this.unref();
      ending = await this.#endOf(this.#child);
    }
    this.#isDone = true;
    this.#release();
    const note = await sandbox?.settle();
    if (note !== undefined) this.#show(`\n${note}\n`);
    return ending;
  }

  async #endOf(child: ChildProcess): Promise<Ending> {
    const closed = once(child, "close");
    // A failure to start is reported by the next line.
    closed.catch(() => {});
    const [exitCode, signal] = await once(child, "exit");
    // Kill remaining processes. The guard would do it too, unless the command has killed it.
    this.#kill("SIGKILL");
    this.#isOver = true;
    child.stdio[3]?.destroy();
    const timer = setTimeout(() => destroyOutput(child), lateOutputMs);
    await closed;
    clearTimeout(timer);
    return { exitCode, signal };
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#isOver) return;
    try {
      if (process.platform === "win32") spawn("taskkill", ["/pid", `${pid}`, "/T", "/F"]);
      else process.kill(-pid, signal);
    } catch {
      // The group has already ended.
    }
  }
}

function destroyOutput({ stdout, stderr }: ChildProcess): void {
  for (const stream of [stdout, stderr] satisfies (Readable | null)[]) stream?.destroy();
}
