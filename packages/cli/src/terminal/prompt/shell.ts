/** `!command`: runs a command in the user's own shell. The model neither sees nor runs it, and no rule applies. */
import { spawn } from "node:child_process";
import type { CallBlock } from "../conversation/blocks.ts";

interface ShellCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const maxChars = 64 * 1024;

/** One command at a time. */
export class UserShell {
  readonly #onChange: (block: CallBlock) => void;
  #kill: (() => void) | undefined;
  #count = 0;

  constructor(onChange: (block: CallBlock) => void) {
    this.#onChange = onChange;
  }

  /** Resolves when the command has ended. */
  async run({ command, cwd, env }: ShellCommand): Promise<void> {
    if (command === "" || this.#kill !== undefined) return;
    this.#count += 1;
    const id = `shell:${this.#count}`;
    let output = "";
    const show = (state: CallBlock["state"]): void =>
      this.#onChange({ type: "call", id, toolName: "!", input: { command }, state, output });
    show("running");
    const child = spawn(env["SHELL"] ?? "/bin/sh", ["-c", command], {
      cwd,
      env,
      // A group of its own: a shell starts other processes.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#kill = () => killGroup(child.pid);
    const take = (text: string): void => {
      output = `${output}${text}`.slice(-maxChars);
      show("running");
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    const { promise, resolve } = Promise.withResolvers<CallBlock["state"]>();
    child.on("error", (error) => {
      output = error.message;
      resolve("failed");
    });
    child.on("close", (code) => resolve(code === 0 ? "done" : "failed"));
    show(await promise);
    this.#kill = undefined;
  }

  /** False if nothing runs. */
  kill(): boolean {
    this.#kill?.();
    return this.#kill !== undefined;
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // It has ended already.
  }
}
