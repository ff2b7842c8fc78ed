/** A folder with everything around it that a command in a sandbox must not reach. Nothing here harms the machine if a command does reach it. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import type { Server } from "node:net";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxMode, SandboxOptions } from "@capstan/toolset";
import { bashTool, checkSandbox } from "@capstan/toolset";
import type { Call } from "../collect-events.ts";
import { isAlive } from "../process-alive.ts";

const problem = await checkSandbox({ mode: "strict" });

/** Why tests that need a real sandbox do not run here. */
export const sandboxNote: string = problem === undefined ? "" : ` (skipped: ${problem})`;
export const hasSandbox: boolean = problem === undefined;

/** Files that no command may make: where they could end up in the system. */
const strays = [
  ...["/etc", "/usr/local/bin", "/usr/lib", "/opt", "/var/lib", "/root", "/", "/boot", "/srv"],
  ...["/run", "/dev", "/dev/shm", "/sys/fs/cgroup", "/etc/cron.d", "/var/spool/cron/crontabs"],
  ...[homedir(), tmpdir(), "/tmp", "/var/tmp", join(homedir(), ".ssh")],
  ...[".config", ".config/systemd/user", ".config/autostart", ".local/bin"].map((path) =>
    join(homedir(), path),
  ),
].map((folder) => join(folder, "capstan-escape"));

const protectedPaths = [
  ...[
    ".git",
    "capstan.json",
    ".npmrc",
    ".vscode",
    ".zed",
    ".envrc",
    ".husky",
    ".idea",
    ".mcp.json",
  ],
  ...[".bashrc", ".capstan", ".yarnrc.yml", ".devcontainer", ".claude", ".cursor", ".gitmodules"],
  ".config/git",
];

export interface Stage {
  readonly project: string;
  readonly options: Omit<SandboxOptions, "mode">;
  /** Runs the command and returns what it should not have been able to do. Makes the stage again if it has changed. */
  attempt(call: Call, mode: SandboxMode | undefined, command: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  // Not in the temporary folder, which is hidden as a whole.
  const base = await realpath(await mkdtemp(join(homedir(), ".capstan-stage-")));
  const shared = await realpath(await mkdtemp(join(tmpdir(), "capstan-stage-")));
  const at = (path: string): string => join(base, path);
  const [project, outside, config] = [at("project"), at("outside"), at("config")];
  await buildTemplate(at("template"));
  let connections = 0;
  const servers: Server[] = [];
  const listen = async (path: string | number): Promise<Server> => {
    const server = createServer((socket) => {
      connections += 1;
      socket.on("error", () => {}).destroy();
    });
    if (typeof path === "number") server.listen(path, "127.0.0.1");
    else server.listen(path);
    await once(server, "listening");
    servers.push(server);
    return server;
  };
  const abstract = `capstan-stage-${process.pid}-${base.slice(-6)}`;
  await listen(`\0${abstract}`);
  const tcp = await listen(0);
  const address = tcp.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const tmpSocket = join(shared, "agent.sock");
  await listen(tmpSocket);
  const victim = spawn("sleep", ["1000"], {
    detached: true,
    stdio: "ignore",
    env: { ...process.env, STAGE: "sk-stage-victim" },
  });
  victim.unref();
  const sockets: Server[] = [];
  const build = async (): Promise<void> => {
    for (const server of sockets.splice(0)) await closed(server);
    for (const folder of [project, outside, config])
      await rm(folder, { recursive: true, force: true });
    await cp(at("template"), project, { recursive: true, verbatimSymlinks: true });
    await mkdir(join(outside, "empty"), { recursive: true });
    await mkdir(config);
    await writeFile(join(outside, "victim.txt"), "victim\n");
    await writeFile(join(config, "key.txt"), "sk-stage-config\n");
    await writeFile(join(shared, "secret.txt"), "sk-stage-shared\n");
    await writeFile(join(shared, "victim.txt"), "victim\n");
    for (const folder of [outside, project]) {
      const name = folder === outside ? "agent.sock" : "project.sock";
      sockets.push(await listen(join(folder, name)));
    }
  };
  await build();
  const state = (): string =>
    [
      ...[outside, config, shared].map((path) => digest(path)),
      ...protectedPaths
        .filter((path) => path !== ".git")
        .map((path) => digest(join(project, path))),
      ...[".git", "deep/repo/.git"].flatMap((repository) =>
        gitParts.map((part) => digest(join(project, repository, part))),
      ),
      ...[".npmrc", ".vscode"].map((path) => digest(join(project, "deep", path))),
      readdirSync(base).join(),
    ].join("\n");
  const places = [project, outside, config, shared];
  const untouched = places.map((path) => digest(path)).join();
  const variables = {
    ...{ OUT: outside, CONFIG: config, HOSTTMP: shared, TMPSOCK: tmpSocket, ABSTRACT: abstract },
    ...{ SOCK: join(outside, "agent.sock"), SSH_AUTH_SOCK: join(outside, "agent.sock") },
    ...{ VICTIM: victim.pid, KEYPID: process.pid, PORT: port },
  };
  const exports = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`);
  const options = { protectedPaths, secretPaths: [config] };
  return {
    project,
    options,
    async attempt(call, mode, command) {
      const before = state();
      const connected = connections;
      const sandbox = mode === undefined ? {} : { sandbox: { ...options, mode } };
      const input = { command: `${exports.join("; ")}; echo began\n${command}`, timeoutMs: 20_000 };
      const { output } = await call(bashTool(sandbox), input, { cwd: project });
      if (command.includes("late")) await new Promise((resolve) => setTimeout(resolve, 1500));
      const left = strays.filter((path) => existsSync(path));
      for (const path of left) rmSync(path, { recursive: true, force: true });
      const done = [
        ...(output.includes("GOT-THROUGH") ? ["said so"] : []),
        ...(/sk-stage-\w+/.exec(output) ?? []).map((key) => `told ${key}`),
        ...(state() === before ? [] : ["changed what is outside or protected"]),
        ...(connections === connected ? [] : ["connected"]),
        ...(isAlive(victim.pid ?? 0) ? [] : ["killed a process"]),
        ...left.map((path) => `made ${path}`),
        ...(existsSync(join(project, "late")) ? ["outlived its command"] : []),
        ...(output.includes("began\n") ? [] : [`was not run: ${output}`]),
      ];
      // Most commands change nothing.
      if (places.map((path) => digest(path)).join() !== untouched) await build();
      return done;
    },
    async close() {
      victim.kill("SIGKILL");
      for (const server of servers) await closed(server);
      for (const folder of [base, shared]) await rm(folder, { recursive: true, force: true });
    },
  };
}

const gitParts = ["config", "config.worktree", "hooks", "commondir", "modules", "worktrees"];

async function buildTemplate(folder: string): Promise<void> {
  await mkdir(join(folder, ".vscode"), { recursive: true });
  await mkdir(join(folder, "a"));
  await mkdir(join(folder, "deep/.vscode"), { recursive: true });
  const git = (...words: readonly string[]): void => {
    const ran = spawnSync("git", ["-C", folder, ...words], { encoding: "utf8" });
    if (ran.status !== 0) throw new Error(ran.stderr);
  };
  const files = ["notes.txt", "capstan.json", ".npmrc", ".vscode/settings.json"];
  for (const name of [...files, "deep/.npmrc", "deep/.vscode/settings.json"]) {
    await writeFile(join(folder, name), "{}\n");
  }
  git("init", "-q", "--template=");
  git("init", "-q", "--template=", "deep/repo");
  git("add", "notes.txt");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first");
  await mkdir(join(folder, ".git/hooks"), { recursive: true });
  await writeFile(join(folder, ".git/hooks/sample"), "exit 0\n", { mode: 0o644 });
  await mkdir(join(folder, ".git/worktrees/w"), { recursive: true });
  await writeFile(join(folder, ".git/worktrees/w/commondir"), "../..\n");
  await symlink("../outside", join(folder, "link-out"));
  await symlink("../outside/victim.txt", join(folder, "link-file"));
  await symlink("a", join(folder, ".zed"));
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  await once(server, "close");
}

/** Content, kind and mode of everything at a path. */
function digest(path: string): string {
  const hash = createHash("sha256");
  const visit = (inner: string): void => {
    const stats = lstatSync(inner, { throwIfNoEntry: false });
    hash.update(`${inner}:${stats?.mode}:${stats?.nlink}\n`);
    if (stats?.isSymbolicLink() === true) hash.update(readlinkSync(inner));
    else if (stats?.isFile() === true) hash.update(readFileSync(inner));
    else if (stats?.isDirectory() === true) {
      for (const name of readdirSync(inner).toSorted()) visit(join(inner, name));
    }
  };
  visit(path);
  return hash.digest("hex");
}
