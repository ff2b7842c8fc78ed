/** Tasks of a child session: calls of its parent that its turns work on, and what they have used. */
import type { Usage } from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";
import type { Spent } from "./child-state.ts";

interface Task {
  /** Id of its first turn. */
  readonly id: string;
  usage: Usage;
  cost: number | undefined;
}

export class TaskFold {
  /** By the call of the parent. Created with the first: few sessions are children. */
  #byCall: Map<string, Task> | undefined;
  #last: string | undefined;

  /** Call of the task that was started last. */
  get lastCall(): string | undefined {
    return this.#last;
  }

  /** A turn that works on this call has started. The results of children in the background start further ones. */
  start(call: string, turnId: string): void {
    const tasks = (this.#byCall ??= new Map());
    this.#last = call;
    if (!tasks.has(call)) tasks.set(call, { id: turnId, usage: {}, cost: undefined });
  }

  count(call: string, usage: Usage, cost: number | undefined): void {
    const task = this.#byCall?.get(call);
    if (task === undefined) return;
    task.usage = addUsage(task.usage, usage);
    if (cost !== undefined) task.cost = (task.cost ?? 0) + cost;
  }

  /** Usage and cost of all turns of the task. */
  spentFor(call: string): Spent {
    const { usage = {}, cost } = this.#byCall?.get(call) ?? {};
    return cost === undefined ? { usage } : { usage, cost };
  }

  /** Call of the task with this id. */
  callOf(taskId: string): string | undefined {
    for (const [call, { id }] of this.#byCall ?? []) if (id === taskId) return call;
    return undefined;
  }
}
