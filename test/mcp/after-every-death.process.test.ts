/** A question and a task of a server outlive every process: the agent's, and the server's. */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";

interface Line {
  readonly listening?: { readonly port: number };
  readonly status?: string;
  readonly pending?: readonly unknown[];
  readonly result?: unknown;
}

class Processes implements AsyncDisposable {
  readonly #running: ChildProcess[] = [];
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts a program of this folder, and resolves with the first line that is wanted. */
  async start(
    program: string,
    args: readonly string[],
    isWanted: (line: Line) => boolean,
  ): Promise<Line> {
    const path = join(import.meta.dirname, program);
    const child = spawn(process.execPath, ["--conditions=@capstan/source", path, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#running.push(child);
    let errors = "";
    child.stderr.on("data", (chunk) => {
      errors += String(chunk);
    });
    for await (const text of createInterface(child.stdout)) {
      const line = JSON.parse(text) as Line;
      if (isWanted(line)) return line;
    }
    throw new Error(`${program} ended: ${errors}`);
  }

  /** Starts the server, and returns its port. */
  async serve(port = 0): Promise<number> {
    const args = [join(this.folder, "done.txt"), String(port)];
    const { listening } = await this.start(
      "own-server.ts",
      args,
      (line) => line.listening !== undefined,
    );
    return listening?.port ?? 0;
  }

  agent(port: number, args: readonly string[], isWanted: (line: Line) => boolean): Promise<Line> {
    const common = [join(this.folder, "sessions.db"), `http://127.0.0.1:${port}/mcp`];
    return this.start("agent-process.ts", [...common, ...args], isWanted);
  }

  /** What the server has done. */
  async done(): Promise<readonly string[]> {
    return (await readFile(join(this.folder, "done.txt"), "utf8")).trim().split("\n");
  }

  async killAll(): Promise<void> {
    const children = this.#running.splice(0);
    await Promise.all(
      children.map(async (child) => {
        const ended = new Promise((resolve) => child.once("exit", resolve));
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill("SIGKILL");
        await ended;
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killAll();
    await rm(this.folder, { recursive: true });
  }
}

async function processes(): Promise<Processes> {
  return new Processes(await mkdtemp(join(tmpdir(), "capstan-mcp-")));
}

const isAsking = ({ pending = [] }: Line): boolean => pending.length > 0;
const isOver = ({ result, status }: Line): boolean =>
  typeof result === "string" && status === "completed";

test(
  "a form is answered after every process has died, and the call is paid once",
  { timeout: 60_000 },
  async () => {
    await using all = await processes();
    const port = await all.serve();
    const { pending } = await all.agent(port, ["begin", "pay"], isAsking);
    expect(pending).toMatchObject([{ tool: "pay", mode: "form", message: "Which account?" }]);
    await all.killAll();

    await all.serve(port);
    const { result } = await all.agent(port, ["answer", '{"account":"blue"}'], isOver);

    expect(result).toBe("Paid 5 from blue");
    expect(await all.done()).toEqual(["paid 5 from blue, state of 5"]);
  },
);

test(
  "a task is followed, answered and finished by processes that know nothing of each other",
  { timeout: 90_000 },
  async () => {
    await using all = await processes();
    const port = await all.serve();
    await all.agent(port, ["begin", "build"], ({ status }) => status === "awaiting_tool_execution");
    await all.killAll();

    await all.serve(port);
    const { pending } = await all.agent(port, ["work"], isAsking);
    expect(pending).toMatchObject([{ tool: "build", message: "Which account?" }]);
    await all.killAll();

    await all.serve(port);
    const { result } = await all.agent(port, ["answer", "blue"], isOver);

    expect(result).toBe('named {"name":{"action":"accept","content":{"account":"blue"}}}');
    const started = (await all.done()).filter((line) => line === "started");
    expect(started).toHaveLength(1);
  },
);
