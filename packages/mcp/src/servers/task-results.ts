/** Results that are tasks: the SDK refuses them, so they pass through it in the form of an empty result. */
import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** Field of a result's `_meta` that holds the task. */
const field = "capstan/task";

/** The state of a task, as its server reports it. */
export interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly pollIntervalMs?: number;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message?: unknown };
}

/** Changes the message in place, before the SDK reads it. */
export function liftTask(message: JSONRPCMessage): void {
  if (!("result" in message)) return;
  const result: { readonly [name: string]: unknown } = message.result;
  if (result["resultType"] !== "task") return;
  const { resultType: _, _meta: meta, ...task } = result;
  const lifted = {
    resultType: "complete",
    content: [],
    _meta: { ...(meta as object | undefined), [field]: task },
  };
  message.result = lifted;
}

/** The task of a result; undefined if the result is none. */
export function taskOf(result: { readonly _meta?: unknown }): Task | undefined {
  const { _meta: meta } = result as { readonly _meta?: { readonly [field]?: unknown } };
  return toTask(meta?.[field]);
}

/** Undefined if the value has no id and no status. */
export function toTask(value: unknown): Task | undefined {
  const task = value as Partial<Task> | null | undefined;
  const { taskId, status, pollIntervalMs } = task ?? {};
  if (typeof taskId !== "string" || typeof status !== "string") return undefined;
  const { pollIntervalMs: _, ...plain } = task as Task;
  const hasInterval = typeof pollIntervalMs === "number" && pollIntervalMs >= 0;
  return { ...plain, ...(hasInterval && { pollIntervalMs }) };
}
