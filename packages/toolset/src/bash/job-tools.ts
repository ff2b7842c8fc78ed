/** `bash_output` and `bash_kill`: what became of a command in the background, and its end. */
import type { AnyTool, ToolContext } from "@capstan/core";
import { defineTool, fail, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { describeEnding, Jobs } from "./jobs.ts";
import type { Job } from "./jobs.ts";

export interface JobDetails {
  readonly job: string;
  readonly command: string;
  readonly isRunning: boolean;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

const job = z.string().min(1).max(100).describe("As bash named it.");
const maxChars = 30_000;
const maxWaitMs = 60_000;

/** `pure`: reading takes nothing away. The answer says from where to read on. Throws only on abort. */
export function bashOutputTool(): AnyTool {
  return defineTool({
    name: "bash_output",
    label: "See the output of a job",
    description: "Shows what a command in the background has written, and whether it runs.",
    input: z.strictObject({
      job,
      from: z.int().min(0).default(0).describe("Leave out so many characters: those seen before."),
      waitMs: z
        .int()
        .min(0)
        .max(maxWaitMs)
        .default(0)
        .describe("If there is nothing new, wait so long for something."),
    }),
    effect: "pure",
    async execute(wanted, context) {
      const found = (await context.get(Jobs)).get(wanted.job);
      if (found === undefined) return unknownJob(wanted.job);
      await waitForMore(found, wanted, context);
      // What does not fit is shown by the next call, which begins where this one ends.
      const { text: shown, next } = found.output.part(wanted.from, maxChars);
      const state =
        found.ending === undefined
          ? "(It runs."
          : (describeEnding(found.ending) ?? "(Exit code 0.)").slice(0, -1);
      const gap = shown === "" || shown.endsWith("\n") ? "" : "\n";
      return ok(`${shown}${gap}${state} Go on with from: ${next}.)`, toDetails(found));
    },
  });
}

export function bashKillTool(): AnyTool {
  return defineTool({
    name: "bash_kill",
    label: "End a job",
    description: "Ends a command in the background, with all that it started.",
    input: z.strictObject({ job }),
    effect: "idempotent",
    async execute(wanted, context) {
      const found = (await context.get(Jobs)).get(wanted.job);
      if (found === undefined) return unknownJob(wanted.job);
      await found.stop();
      return ok(`${found.id} has ended.`, toDetails(found));
    },
  });
}

async function waitForMore(
  { changed, ending, output }: Job,
  { from, waitMs }: { readonly from: number; readonly waitMs: number },
  { signal }: ToolContext,
): Promise<void> {
  if (waitMs === 0 || ending !== undefined || output.length > from) return;
  const { promise: over, resolve: give } = Promise.withResolvers<void>();
  const timer = setTimeout(give, waitMs);
  signal.addEventListener("abort", () => give(), { once: true });
  await Promise.race([changed, over]);
  clearTimeout(timer);
  signal.throwIfAborted();
}

function unknownJob(id: string): ToolOutput {
  return fail(
    `There is no job ${id}. Jobs end with the process that runs the session: start it again with bash.`,
  );
}

function toDetails({ id, command, ending }: Job): JobDetails {
  return { job: id, command, isRunning: ending === undefined, ...ending };
}
