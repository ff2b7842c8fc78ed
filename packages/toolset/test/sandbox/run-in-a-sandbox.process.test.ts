import { spawnSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxDriver, SandboxMode, SandboxOptions } from "@capstan/toolset";
import { bashKillTool, bashOutputTool, bashTool } from "@capstan/toolset";
import { describe, expect, onTestFinished, test } from "vitest";
import { bubblewrap } from "../../src/sandbox/bubblewrap.ts";
import { openSession } from "../collect-events.ts";
import { isAlive } from "../process-alive.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { hasSandbox, sandboxNote } from "./stage.ts";

const modes: readonly SandboxMode[] = ["write", "strict"];

/** A folder that is not in the temporary folder, which commands do not see. */
async function visibleFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(homedir(), ".capstan-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function sandboxed(mode: SandboxMode, options: Partial<SandboxOptions> = {}) {
  return bashTool({ sandbox: { mode, ...options } });
}

/** Host numbers of the processes that have this text in their command. */
function running(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && commandOf(name).includes(text))
    .map(Number)
    .filter(isAlive);
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    // It has ended in the meantime.
    return "";
  }
}

function connect(path: string): string {
  return `perl -MSocket -e 'socket S, PF_UNIX, SOCK_STREAM, 0; connect S, sockaddr_un("${path}") and print <S>'`;
}

describe.skipIf(!hasSandbox)(`a command in a sandbox${sandboxNote}`, () => {
  test.each(modes)("in %s reads everywhere, and writes in the folder", async (mode) => {
    const cwd = await visibleFolder();
    const command = "echo made > a.txt && cat a.txt && head -c 4 /etc/passwd && pwd";

    const done = await openSession().call(sandboxed(mode), { command }, { cwd });

    expect(done).toMatchObject({ isError: false, details: { exitCode: 0 } });
    expect(done.output).toBe(`made\nroot${cwd}\n`);
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("made\n");
  });

  test.each(modes)("in %s works in a folder that is in the temporary folder", async (mode) => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "src"));

    const done = await openSession().call(
      sandboxed(mode),
      { command: "pwd; echo x > ../made; ls ..", path: "src" },
      { cwd },
    );

    expect(done.output).toBe(`${cwd}/src\nmade\nsrc\n`);
  });

  test.each(modes)("in %s has the exit code and the output of the command", async (mode) => {
    const cwd = await visibleFolder();

    const done = await openSession().call(
      sandboxed(mode),
      { command: "echo out; echo err >&2; exit 3" },
      { cwd },
    );

    expect(done.output.split("\n").toSorted()).toEqual(["(Exit code 3.)", "err", "out"]);
  });

  test.each(modes)("in %s commits, and leaves the hooks alone", async (mode) => {
    const cwd = await visibleFolder();
    spawnSync("git", ["-C", cwd, "init", "-q"]);
    await mkdir(join(cwd, ".git/hooks"), { recursive: true });
    const command = [
      "echo a > a.txt; git add a.txt",
      "git -c user.name=a -c user.email=a@example.org commit -qm first && git log --format=%s",
      "git status --short",
      "echo x > .git/hooks/pre-commit",
    ].join("\n");

    const done = await openSession().call(sandboxed(mode), { command }, { cwd });

    expect(done.output).toContain("first\n");
    expect(done.output).toContain("Read-only file system");
    expect(existsSync(join(cwd, ".git/hooks/pre-commit"))).toBe(false);
  });

  test("has a temporary folder that lasts as long as the session", async () => {
    const cwd = await visibleFolder();
    const { call, dispose } = openSession();
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("capstan-sandbox-"));

    const file = `kept-${process.pid}`;

    await call(sandboxed("write"), { command: `echo kept > /tmp/${file}; echo $TMPDIR` }, { cwd });
    const again = await call(
      sandboxed("strict"),
      { command: `cat /tmp/${file}; ls /tmp` },
      { cwd },
    );
    const command = `cat /tmp/${file}`;
    const other = await openSession().call(sandboxed("write"), { command }, { cwd });
    await dispose();

    expect(again.output).toBe(`kept\n${file}\n`);
    expect(other).toMatchObject({ isError: true });
    const mine = readdirSync(tmpdir()).filter(
      (name) => name.startsWith(`capstan-sandbox-${process.pid}-`) && !before.includes(name),
    );
    // The other session is still open.
    expect(mine).toHaveLength(1);
    expect(existsSync(`/tmp/${file}`)).toBe(false);
  });

  test("writes to listed folders and roots as well", async () => {
    const [cwd, root, listed, other] = await Promise.all([1, 2, 3, 4].map(visibleFolder));
    const tool = bashTool({
      roots: [root ?? ""],
      sandbox: { mode: "strict", writable: [listed ?? "", "/nowhere"] },
    });
    const command = `for f in ${root} ${listed} ${other}; do echo x > $f/a && echo $f; done`;

    const done = await openSession().call(tool, { command }, { cwd: cwd ?? "" });

    expect(done.output).toContain(`${root}\n${listed}\n`);
    expect(existsSync(join(other ?? "", "a"))).toBe(false);
  });

  test("uses a socket that is listed, and sees no other", async () => {
    const [cwd, other] = [await visibleFolder(), await visibleFolder()];
    const sockets = ["a.sock", "b.sock"].map((name) => join(other, name));
    for (const path of sockets) {
      const server = createServer((socket) => void socket.end("hello\n")).listen(path);
      onTestFinished(() => void server.close());
      await once(server, "listening");
    }
    const tool = sandboxed("strict", { writable: sockets.slice(0, 1) });

    const done = await openSession().call(
      tool,
      { command: sockets.map(connect).join("\n") },
      { cwd },
    );

    expect(done.output).toBe("hello\n");
  });

  test("changes a protected file that the user has opened, and no other", async () => {
    const cwd = await visibleFolder();
    await mkdir(join(cwd, ".vscode"));
    for (const name of [".npmrc", ".yarnrc", ".vscode/a.json", ".vscode/b.json"]) {
      await writeFile(join(cwd, name), "old\n");
    }
    const open = [".npmrc", ".envrc", ".vscode/a.json"].map((name) => join(cwd, name));
    const tool = sandboxed("write", {
      protectedPaths: [".npmrc", ".yarnrc", ".envrc", ".mcp.json", ".vscode"],
      openPaths: () => open,
    });
    const names = [".npmrc", ".yarnrc", ".vscode/a.json", ".vscode/b.json", ".envrc", ".mcp.json"];
    const command = names.map((name) => `echo new > ${name}`).join("\n");

    const done = await openSession().call(tool, { command }, { cwd });

    const texts = await Promise.all(
      names.map((name) => readFile(join(cwd, name), "utf8").catch(() => "none")),
    );
    expect(texts).toEqual(["new\n", "old\n", "new\n", "old\n", "new\n", "none"]);
    expect(done.output).toContain("renamed: .mcp.json.refused.");
  });

  test("cannot open another file by a link that has the name of an opened one", async () => {
    const cwd = await visibleFolder();
    await writeFile(join(cwd, ".yarnrc"), "old\n");
    await symlink(".yarnrc", join(cwd, ".npmrc"));
    const tool = sandboxed("write", {
      protectedPaths: [".npmrc", ".yarnrc"],
      openPaths: () => [join(cwd, ".npmrc")],
    });

    await openSession().call(tool, { command: "echo new > .npmrc" }, { cwd });

    expect(await readFile(join(cwd, ".yarnrc"), "utf8")).toBe("old\n");
  });

  test.each(modes)("in %s reaches a server of its own call", async (mode) => {
    const cwd = await visibleFolder();
    const command = [
      'perl -MIO::Socket -e \'$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1"); open F, ">port"; print F $s->sockport; close F; $c = $s->accept; print $c "hello\\n"\' &',
      "until [ -s port ]; do sleep 0.02; done",
      'exec 7<>"/dev/tcp/127.0.0.1/$(cat port)"; cat <&7',
    ].join("\n");

    const done = await openSession().call(sandboxed(mode), { command, timeoutMs: 10_000 }, { cwd });

    expect(done.output).toBe("hello\n");
  });

  test.each(modes)("in %s gets time to clean up, and ends as a whole", async (mode) => {
    const cwd = await visibleFolder();
    const sleep = `sleep 10${process.pid}${mode.length}`;
    const command = `setsid ${sleep} & trap 'echo cleaned > cleaned; exit' TERM; ${sleep} & wait`;

    const done = await openSession().call(sandboxed(mode), { command, timeoutMs: 500 }, { cwd });

    expect(done.details).toMatchObject({ isTimeout: true });
    expect(await readFile(join(cwd, "cleaned"), "utf8")).toBe("cleaned\n");
    expect(running(sleep)).toEqual([]);
  });

  test.each(modes)("in %s runs in the background, and ends by bash_kill", async (mode) => {
    const cwd = await visibleFolder();
    const { call } = openSession();
    const sleep = `sleep 20${process.pid}${mode.length}`;
    const command = `echo x > ../escaped; echo here > in.txt; setsid ${sleep} & trap '' TERM; ${sleep}`;

    const started = await call(sandboxed(mode), { command, background: true }, { cwd });
    const { job } = started.details as { job: string };
    await expect.poll(() => existsSync(join(cwd, "in.txt"))).toBe(true);
    await expect.poll(() => running(sleep).length).toBeGreaterThanOrEqual(2);
    await call(bashKillTool(), { job });
    const told = await call(bashOutputTool(), { job });

    expect(running(sleep)).toEqual([]);
    expect(told.output).toContain("Read-only file system");
    expect(existsSync(join(cwd, "../escaped"))).toBe(false);
  });

  test("ends with the session that started it in the background", async () => {
    const cwd = await visibleFolder();
    const { call, dispose } = openSession();
    const sleep = `sleep 30${process.pid}`;

    await call(sandboxed("write"), { command: `setsid ${sleep}`, background: true }, { cwd });
    await expect.poll(() => running(sleep).length).toBeGreaterThanOrEqual(1);
    await dispose();

    expect(running(sleep)).toEqual([]);
  });

  test("keeps its caches in its temporary folder, and variables that are set", async () => {
    const cwd = await visibleFolder();
    const command = "echo $XDG_CACHE_HOME $npm_config_cache $TMPDIR";
    const { XDG_CACHE_HOME: _, ...others } = process.env;
    const env = { ...others, npm_config_cache: "/elsewhere" };
    const tool = bashTool({ env, sandbox: { mode: "write" } });

    const done = await openSession().call(tool, { command }, { cwd });

    expect(done.output).toBe("/tmp/.cache /elsewhere /tmp\n");
  });

  test("is refused in the root folder, which cannot be confined", async () => {
    const done = await openSession().call(sandboxed("write"), { command: "true" }, { cwd: "/" });

    expect(done).toMatchObject({ isError: true });
    expect(done.output).toContain("did not run");
  });
});

test("a sandbox that could not be set up is set up again, and the command runs once", async () => {
  const cwd = await temporaryFolder();
  let count = 0;
  const driver: SandboxDriver = {
    name: "late",
    check: async () => undefined,
    temporaryPath: (temporary) => temporary,
    wrap: async (argv) => {
      count += 1;
      return count < 3 ? ["/bin/sh", "-c", "echo 'covered file is gone'; exit 1"] : argv;
    },
  };
  const tool = bashTool({ sandbox: { mode: "write", driver } });

  const done = await openSession().call(tool, { command: "echo ran | tee -a log" }, { cwd });
  const never = await openSession().call(
    bashTool({
      sandbox: {
        mode: "write",
        driver: { ...driver, wrap: async () => ["/bin/sh", "-c", "echo no; exit 1"] },
      },
    }),
    { command: "echo ran >> log" },
    { cwd },
  );

  expect(done.output).toBe("ran\n");
  expect(await readFile(join(cwd, "log"), "utf8")).toBe("ran\n");
  expect(never).toMatchObject({ isError: true, output: "no\n(Exit code 1.)" });
});

describe("a sandbox that does not work", () => {
  const command = "echo ran > ran.txt";

  test.each([
    ["is not installed", "absent", "apt install bubblewrap"],
    ["cannot make namespaces", undefined, "user namespaces"],
  ])("because it %s runs nothing, and says what to do", async (_, program, advice) => {
    const cwd = await temporaryFolder();
    const broken = join(cwd, "bwrap");
    await writeFile(
      broken,
      "#!/bin/sh\necho 'bwrap: No permissions to create a namespace' >&2; exit 1\n",
    );
    await chmod(broken, 0o755);
    const driver = bubblewrap({ program: program === undefined ? broken : join(cwd, program) });
    const tool = bashTool({ sandbox: { mode: "write", driver } });

    const done = await openSession().call(tool, { command }, { cwd });
    const job = await openSession().call(tool, { command, background: true }, { cwd });

    expect(done).toMatchObject({ isError: true });
    expect(done.output).toContain("The command did not run");
    expect(done.output).toContain(advice);
    expect(job.output).toBe(done.output);
    expect(existsSync(join(cwd, "ran.txt"))).toBe(false);
  });

  test("because it cannot limit the hosts runs nothing", async () => {
    const cwd = await temporaryFolder();
    const driver = bubblewrap();
    const tool = bashTool({ sandbox: { mode: "strict", network: ["example.org"], driver } });

    const done = await openSession().call(tool, { command }, { cwd });

    expect(done.output).toContain("cannot limit the network to a list of hosts");
    expect(existsSync(join(cwd, "ran.txt"))).toBe(false);
  });
});
