/** Commands that run in the background. They end with the session. */
import { randomBytes } from "node:crypto";
import type { Dependency } from "@capstan/core";
import { dependency } from "@capstan/core";
import { FileError } from "../files/file-error.ts";
import { CommandProcess } from "./command-process.ts";
import type { CommandOptions, Ending } from "./command-process.ts";
import { OutputBuffer } from "./output-buffer.ts";

const maxOutputChars = 1_000_000;
const maxJobs = 16;

export class Job {
  readonly id: string = `job-${randomBytes(3).toString("hex")}`;
  readonly command: string;
  readonly output: OutputBuffer = new OutputBuffer(maxOutputChars);
  /** Undefined while it runs. */
  ending: Ending | undefined;
  readonly #process: CommandProcess;
  #changed = Promise.withResolvers<void>();

  constructor(options: Omit<CommandOptions, "onOutput">) {
    this.command = options.command;
    this.#process = new CommandProcess({
      ...options,
      onOutput: (text) => {
        this.output.push(text);
        this.#announce();
      },
    });
    this.#process.unref();
    this.#process.ended.then(
      (ending) => this.#end(ending),
      () => this.#end({ exitCode: null, signal: null }),
    );
  }

  #end(ending: Ending): void {
    this.ending = ending;
    this.#announce();
  }

  #announce(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Resolves when the command writes output or ends. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

export class JobTable {
  readonly #jobs = new Map<string, Job>();

  /** Throws a `FileError` with code `too_large` if too many jobs are running. */
  start(command: Omit<CommandOptions, "onOutput">): Job {
    const running = this.running.map(({ id }) => id);
    if (running.length >= maxJobs) {
      const problem = `${maxJobs} jobs are already running. End one with bash_kill: ${running.join(", ")}.`;
      throw new FileError("too_large", problem);
    }
    const job = new Job(command);
    this.#jobs.set(job.id, job);
    return job;
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  get running(): readonly Job[] {
    return [...this.#jobs.values()].filter(({ ending }) => ending === undefined);
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.running.map((job) => job.stop()));
  }
}

export const Jobs: Dependency<JobTable> = dependency("jobs", () => new JobTable(), {
  scope: "session",
  dispose: (jobs) => jobs.stopAll(),
});

/** Note in parentheses for the end of an output. Undefined for success. */
export function describeEnding({ exitCode, signal }: Ending): string | undefined {
  if (signal !== null) return `(Ended by ${signal}.)`;
  return exitCode === 0 ? undefined : `(Exit code ${exitCode ?? "unknown"}.)`;
}
