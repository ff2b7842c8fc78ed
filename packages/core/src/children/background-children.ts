/** Children that work in the background: what a model starts, asks about, and stops. */
import type { ToolOutput } from "@capstan/kernel";
import type { Child } from "@capstan/log";
import type { ChildCall } from "../tools/other-agents.ts";
import type { ToolContext } from "../tools/tool-context.ts";
import { fail, ok } from "../tools/tool-output.ts";
import { taskIdOf } from "./child-ids.ts";
import type { ChildStarts } from "./child-starts.ts";
import { cancelTask } from "./child-posts.ts";
import type { ParentSession } from "./start-child.ts";
import { startChild } from "./start-child.ts";

/** Resolves once the child has its task: from then on it works by itself, in whichever process. */
export async function startInBackground(
  parent: ParentSession,
  call: ChildCall,
  starts: ChildStarts,
): Promise<ToolOutput> {
  const started = await startChild(parent, call, starts);
  if (typeof started === "string") return fail(started);
  // If no caller here has a handle, the child takes no memory once it rests.
  started.release();
  const childId = started.runtime.id;
  const text = `The agent "${call.agent.name}" works on it in the background, as child ${childId}. Its answer will come as a message. Go on with other work, or end your turn.`;
  return { ok: true, outputMessage: text, details: { childId, mode: "background" } };
}

/** State of one child, or of all. */
export function statusOf({ log }: ParentSession, childId: string | undefined): ToolOutput {
  const all = childrenOf(log);
  const chosen = childId === undefined ? all : all.filter((child) => child.childId === childId);
  if (chosen.length > 0) return ok(chosen.map(lineOf).join("\n"));
  return childId === undefined
    ? ok("No agent was started in the background.")
    : fail(unknown(childId, all));
}

/** Stops a child, unless it has ended. Its answer, if there is one by then, is dropped. */
export async function stopInBackground(
  { host, log, append }: ParentSession,
  childId: string,
  { turnId }: Pick<ToolContext, "turnId">,
): Promise<ToolOutput> {
  const all = childrenOf(log);
  const known = all.filter((child) => child.childId === childId);
  if (known.length === 0) return fail(unknown(childId, all));
  const child = known.find(({ isOpenInBackground }) => isOpenInBackground);
  if (child === undefined) return ok(`Child ${childId} does not work any more.`);
  const { toolCallId } = child;
  await cancelTask(host, childId, taskIdOf(childId, toolCallId), "The caller stopped");
  await append([{ type: "child_ended", turnId, toolCallId, childId, outcome: "stopped" }]);
  return ok(`Child ${childId} was stopped.`);
}

function childrenOf({ fold }: ParentSession["log"]): readonly Child[] {
  return fold.children.all.filter(({ isBackground }) => isBackground);
}

function lineOf(child: Child): string {
  return `${child.childId} (${child.agent}): ${stateOf(child)}`;
}

function stateOf({ isEnded, isCut, outcome, lastReport }: Child): string {
  if (outcome === "stopped" || isCut) return "stopped";
  if (lastReport?.type === "ended") {
    return lastReport.result.isError ? "ended without an answer" : "ended with an answer";
  }
  if (isEnded || lastReport?.type !== "waiting") return "working";
  const names = lastReport.pending.map(({ kind, toolName }) =>
    kind === "approval" ? `an approval of ${toolName}` : `the result of ${toolName}`,
  );
  return `waiting for ${names.join(", ")}`;
}

function unknown(childId: string, all: readonly Child[]): string {
  const ids = all.map((child) => child.childId).join(", ");
  return ids === ""
    ? `There is no child "${childId}": no agent was started in the background.`
    : `There is no child "${childId}". Known: ${ids}`;
}
