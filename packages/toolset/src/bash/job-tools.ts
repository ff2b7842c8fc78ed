/** `bash_output` and `bash_kill`: read the output of a background command, and end it. */
import type { ToolContext } from "@capstan/core";
import { defineTool, fail, ok } from "@capstan/core";
import type { ToolOutput } from "@capstan/kernel";
import { z } from "zod";
import { boundedNumber } from "../files/bounded-number.ts";
import { describeEnding, Jobs } from "./jobs.ts";
import type { Job } from "./jobs.ts";
import type { NamedTool } from "../toolset/named-tool.ts";

/** Details of a command in the background, for user interfaces. */
export interface JobDetails {
  readonly job: string;
  readonly command: string;
  readonly isRunning: boolean;
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

const job = z.string().min(1).max(100).describe("The job id that bash returned.");
const maxChars = 30_000;
const maxWaitMs = 60_000;

/**
 * Creates the tool that reads the output of a command in the background. `pure`: reading removes nothing. The
 * result states the offset to continue at. Throws only on abort.
 */
export function bashOutputTool(): NamedTool<"bash_output"> {
  return defineTool({
    name: "bash_output",
    label: "Read the output of a job",
    description: "Shows the output of a background command, and whether it is still running.",
    input: z.strictObject({
      job,
      from: boundedNumber("from", {
        min: 0,
        usual: 0,
        description: "Characters to skip, because they were shown before.",
      }),
      waitMs: boundedNumber("waitMs", {
        min: 0,
        max: maxWaitMs,
        usual: 0,
        description: "How long to wait for new output, in milliseconds, if there is none.",
      }),
    }),
    effect: "pure",
    async execute(wanted, context) {
      const found = (await context.get(Jobs)).get(wanted.job);
      if (found === undefined) return unknownJob(wanted.job);
      const from = wanted.from.value;
      await waitForMore(found, { from, waitMs: wanted.waitMs.value }, context);
      // The next call shows what does not fit, starting at `next`.
      const { text: shown, next } = found.output.part(from, maxChars);
      const state =
        found.ending === undefined
          ? "(Still running."
          : (describeEnding(found.ending) ?? "(Exit code 0.)").slice(0, -1);
      const gap = shown === "" || shown.endsWith("\n") ? "" : "\n";
      return ok(`${shown}${gap}${state} Continue with from: ${next}.)`, toDetails(found));
    },
  });
}

/** Creates the tool that stops a command in the background. */
export function bashKillTool(): NamedTool<"bash_kill"> {
  return defineTool({
    name: "bash_kill",
    label: "End a job",
    description: "Ends a background command and all processes it started.",
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
    `Unknown job ${id}. Jobs end with the process that runs the session: start it again with bash.`,
  );
}

function toDetails({ id, command, ending }: Job): JobDetails {
  return { job: id, command, isRunning: ending === undefined, ...ending };
}
