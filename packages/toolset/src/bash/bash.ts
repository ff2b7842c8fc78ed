/** `bash`: runs a command in a shell. Without a sandbox it can do anything this process can do: paths are not restricted. */
import { existsSync } from "node:fs";
import { lstat } from "node:fs/promises";
import type { ToolContext } from "@capstan/core";
import { defineTool } from "@capstan/core";
import type { ToolExecutionEvent } from "@capstan/kernel";
import { z } from "zod";
import type { BoundedNumber } from "../files/bounded-number.ts";
import { boundedNumber, notesOn } from "../files/bounded-number.ts";
import { FileError, onFile } from "../files/file-error.ts";
import { folderPath } from "../files/path-input.ts";
import { locate, openWorkspace } from "../files/workspace.ts";
import type { WorkspaceOptions } from "../files/workspace.ts";
import { confine } from "../sandbox/confine.ts";
import type { SandboxOptions } from "../sandbox/confine.ts";
import { SessionNestedFolders } from "../sandbox/nested-folders.ts";
import { SandboxFolder } from "../sandbox/sandbox-folder.ts";
import { CommandProcess, inSandbox } from "./command-process.ts";
import type { CommandOptions, Ending } from "./command-process.ts";
import { commandEnvironment, mentionedIn, withheldNames } from "./environment.ts";
import { describeEnding, Jobs } from "./jobs.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { withoutOverwritten } from "./plain-output.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Options of `bashTool`. */
export interface BashOptions extends WorkspaceOptions {
  /** Default: bash if installed in the usual path, else sh. */
  readonly shell?: string;
  /** Default: the environment of this process, without variables that look like secrets, and with settings that keep editors and pagers from waiting. */
  readonly env?: NodeJS.ProcessEnv;
  /** Names of variables of this process that are passed although they look like secrets. */
  readonly passEnv?: readonly string[];
  /** Names of variables of this process that are not passed, unless `passEnv` names them: its own keys, whose names may not look like secrets. */
  readonly withholdEnv?: readonly string[];
  /** Runs all commands in a sandbox of the operating system. They are refused if it does not work here. Default: none. */
  readonly sandbox?: SandboxOptions;
  /** For commands that set none. Default: 120,000. */
  readonly timeoutMs?: number;
  /** Maximum a command may request. Default: 600,000. */
  readonly maxTimeoutMs?: number;
  /** Characters of output to keep: its beginning and its end. Default: 1,000,000. */
  readonly maxOutputChars?: number;
}

/** Time to end a command that reached its limit, and to read its output. */
const graceAfterTimeoutMs = 30_000;

/** Details of a `bash` result, for user interfaces. */
export interface BashDetails {
  readonly command: string;
  /** Null if a signal ended it. */
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly isTimeout?: boolean;
  /** Id of a background command. */
  readonly job?: string;
}

/**
 * Creates the tool that runs shell commands. Streams the output. A timeout, an abort, the end of the command and
 * the end of this process end all processes it started. A background command lasts as long as the session is open
 * in this process. Throws only on abort.
 */
export function bashTool(options: BashOptions = {}): NamedTool<"bash"> {
  const { timeoutMs = 120_000, maxTimeoutMs = 600_000 } = options;
  return defineTool({
    name: "bash",
    label: "Run a command",
    description:
      "Runs a command in a shell, without a terminal and without input. Every call starts in the working folder. " +
      "Processes it leaves running are killed when it ends: for servers and other long-running commands set background, then use bash_output and bash_kill.",
    input: z.strictObject({
      command: z.string().min(1).max(30_000),
      path: folderPath("Folder to run it in"),
      timeoutMs: boundedNumber("timeoutMs", {
        min: 1,
        max: maxTimeoutMs,
        usual: Math.min(timeoutMs, maxTimeoutMs),
        description: "Timeout in milliseconds. Ignored for background commands.",
      }),
      background: z.boolean().default(false).describe("Return at once; the result names the job."),
    }),
    effect: "at-most-once",
    execution: "sequential",
    // The command has its own limit, and its output until then is the result.
    timeoutMs: maxTimeoutMs + graceAfterTimeoutMs,
    execute: (wanted, context) => {
      const start = wanted.background ? startJob : run;
      return explained(wanted, start(wanted, context, options));
    },
  });
}

interface BashInput {
  readonly command: string;
  readonly path: string;
  readonly timeoutMs: BoundedNumber;
}

async function* explained(
  { command }: BashInput,
  events: AsyncIterable<ToolExecutionEvent>,
): AsyncGenerator<ToolExecutionEvent> {
  try {
    yield* events;
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    const details: BashDetails = { command };
    yield { type: "complete", output: thrown.message, details, isError: true };
  }
}

async function* startJob(
  wanted: BashInput,
  context: ToolContext,
  options: BashOptions,
): AsyncGenerator<ToolExecutionEvent> {
  const command = await toCommand(wanted, context, options);
  const job = (await context.get(Jobs)).start(command);
  const details: BashDetails = { command: wanted.command, job: job.id };
  const output = `Started ${job.id}. Read its output with bash_output, end it with bash_kill.`;
  yield { type: "complete", output, details };
}

async function* run(
  wanted: BashInput,
  context: ToolContext,
  options: BashOptions,
): AsyncGenerator<ToolExecutionEvent> {
  const { signal } = context;
  signal.throwIfAborted();
  const command = await toCommand(wanted, context, options);
  const { maxOutputChars = 1_000_000 } = options;
  const output = new OutputBuffer(maxOutputChars);
  const unread = new Unread(maxOutputChars);
  const onOutput = (text: string): void => {
    output.push(text);
    unread.push(text);
  };
  const running = new CommandProcess({ ...command, onOutput });
  const ended = running.ended.finally(() => unread.end());
  // Awaited below, once all output has been streamed.
  background(ended);
  let isTimeout = false;
  const stop = (): void => background(running.stop());
  const timer = setTimeout(() => {
    isTimeout = true;
    stop();
  }, wanted.timeoutMs.value);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const delta of unread.read()) yield { type: "delta", delta };
    const ending = await ended;
    // Also what has left the group, before the answer: this process may end right after it.
    if (isTimeout) await running.stop();
    signal.throwIfAborted();
    yield toComplete(wanted, withoutOverwritten(output.text), ending, isTimeout, options);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    // The consumer may have left early.
    await running.stop();
  }
}

/** Ignores the failure, which is reported elsewhere. */
function background(task: Promise<unknown>): void {
  // The caller awaits it, or stops once more, at the end: a failure is thrown there.
  task.catch(() => {});
}

async function toCommand(
  { command, path }: BashInput,
  context: ToolContext,
  options: BashOptions,
): Promise<Omit<CommandOptions, "onOutput">> {
  const workspace = await openWorkspace(options, context.cwd);
  const cwd = await locate(workspace, path);
  if (!(await onFile(path, () => lstat(cwd))).isDirectory()) {
    throw new FileError("wrong_kind", `${path} is not a folder. Commands can only run in folders.`);
  }
  const { shell = usualShell(), sandbox } = options;
  const { env = commandEnvironment(process.env, options) } = options;
  if (sandbox === undefined) return { command, cwd, env, shell };
  const confined = await confine(inSandbox(shell, command), sandbox, {
    cwd,
    env,
    roots: workspace.roots.map(({ real }) => real),
    temporary: await context.get(SandboxFolder),
    sessionId: context.sessionId,
    nested: await context.get(SessionNestedFolders),
  });
  return { command, cwd, env: confined.env, shell, sandbox: confined };
}

function usualShell(): string {
  return ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path)) ?? "/bin/sh";
}

function toComplete(
  { command, timeoutMs }: BashInput,
  text: string,
  ending: Ending,
  isTimeout: boolean,
  options: BashOptions,
): ToolExecutionEvent {
  const clamped = notesOn(timeoutMs).map((one) => `${one} `);
  const note = isTimeout
    ? `(${clamped.join("")}Timed out after ${timeoutMs.value} ms. Raise timeoutMs, or set background for a command that does not end.)`
    : describeEnding(ending);
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  const missed = note === undefined ? "" : missedNote(`${command}\n${text}`, options);
  const output = note === undefined ? text : `${text}${gap}${note}${missed}`;
  const details: BashDetails = { command, ...ending, isTimeout };
  return {
    type: "complete",
    output: output === "" ? "(No output.)" : output,
    details,
    isError: note !== undefined,
  };
}

/** A command that failed may have needed a variable that it did not get. */
function missedNote(text: string, options: BashOptions): string {
  const names = options.env === undefined ? withheldNames(process.env, options) : [];
  const missed = mentionedIn(text, names);
  if (missed.length === 0) return "";
  return `\n(Not passed to commands, because it looks like a secret: ${missed.join(", ")}. The user can allow it.)`;
}

/** Output not streamed yet. It is held for a slow reader, up to a limit; the rest is not streamed. */
class Unread {
  #room: number;
  #text = "";
  #isOver = false;
  #changed = Promise.withResolvers<void>();

  constructor(maxChars: number) {
    this.#room = maxChars;
  }

  push(text: string): void {
    this.#text += text.slice(0, this.#room);
    this.#room = Math.max(0, this.#room - text.length);
    this.#changed.resolve();
  }

  end(): void {
    this.#isOver = true;
    this.#changed.resolve();
  }

  async *read(): AsyncGenerator<string> {
    for (;;) {
      const text = this.#text;
      this.#text = "";
      if (text !== "") yield text;
      else if (this.#isOver) return;
      else {
        await this.#changed.promise;
        this.#changed = Promise.withResolvers();
      }
    }
  }
}
