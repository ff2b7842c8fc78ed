/** Starts the real workerd with a worker of this repository, bundled into one file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build } from "rolldown";

export interface Workerd {
  readonly url: string;
  /** Sends the signal, and resolves with the exit code and the signal that ended the process. */
  stop(signal: "SIGTERM" | "SIGKILL"): Promise<unknown[]>;
}

/** Path of the binary, which `npm ci --prefix test/runtimes` installs. The command of npm is a script that starts it. Undefined if absent: see `skipMissing`. */
export function findWorkerd(): string | undefined {
  const require = createRequire(join(import.meta.dirname, "runtimes", "package.json"));
  try {
    return (require("workerd") as { readonly default: string }).default;
  } catch {
    // Not installed, or no binary for this platform.
    return undefined;
  }
}

/** Bundles a worker into `folder`, next to its configuration, which embeds it as `worker.js`. Fails if it imports a module of Node. */
export async function bundleWorker(entry: string, config: string, folder: string): Promise<string> {
  await build({
    input: entry,
    // `neutral` leaves `node:*` unresolved, and workerd without `nodejs_compat` would refuse it.
    platform: "neutral",
    resolve: { conditionNames: ["@capstan/source", "import", "default"] },
    output: { file: join(folder, "worker.js"), format: "esm", codeSplitting: false },
    logLevel: "warn",
  });
  const path = join(folder, basename(config));
  await copyFile(config, path);
  return path;
}

/** Starts workerd on a free port of this machine. Objects are stored in `disk`, if the configuration has a service of this name. */
export async function startWorkerd(
  binary: string,
  config: string,
  disk?: string,
): Promise<Workerd> {
  const args = ["serve", config, "--control-fd=3", "--socket-addr=http=127.0.0.1:0"];
  if (disk !== undefined) args.push(`--directory-path=disk=${disk}`);
  const program = spawn(binary, args, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
  const ended = once(program, "exit");
  // The fourth stream, which `stdio` requests.
  const lines = createInterface(program.stdio[3] as Readable);
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string | number | null];
  if (typeof line !== "string") throw new Error(`workerd has ended with code ${line}`);
  const { port } = JSON.parse(line) as { readonly port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async (signal) => {
      program.kill(signal);
      return ended;
    },
  };
}
