/** Tasks of a child session: calls of its parent that its turns work on, and what they have used. */
import type { Usage } from "@capstan/kernel";
import { addUsage } from "@capstan/kernel";
import type { BudgetSlice, EntryOf } from "../entries/entries.ts";
import type { Spent } from "./child-state.ts";
import type { TurnOrigin } from "./turn-fold.ts";

interface Task {
  /** Id of its first turn. */
  readonly id: string;
  readonly startedAt: number;
  usage: Usage;
  cost: number | undefined;
  /** Slice of the parent's budgets, with what was granted since; undefined if there is none. */
  budget: BudgetSlice | undefined;
  /** `childSeq` of the last answer of the parent, and whether it refused. */
  answeredSeq: number;
  isRefused: boolean;
}

/** Slice of a task, as it is now. */
export type TaskBudget = Pick<Task, "startedAt" | "answeredSeq" | "isRefused"> & {
  readonly budget: BudgetSlice;
};

/** @internal State in a checkpoint. */
export interface SavedTasks {
  readonly tasks: readonly (readonly [string, Task])[];
  readonly last: string | undefined;
}

export class TaskFold {
  /** By the call of the parent. Created with the first: few sessions are children. */
  #byCall: Map<string, Task> | undefined;
  #last: string | undefined;

  /** Call of the task that was started last. */
  get lastCall(): string | undefined {
    return this.#last;
  }

  /** A turn has started: it may work on a call. The results of children in the background start further ones. */
  start({ turnId, at }: EntryOf<"turn_started">, { call, budget }: TurnOrigin): void {
    if (call === undefined) return;
    const tasks = (this.#byCall ??= new Map());
    this.#last = call;
    if (tasks.has(call)) return;
    const start = { id: turnId, startedAt: at, answeredSeq: 0, isRefused: false };
    tasks.set(call, { ...start, usage: {}, cost: undefined, budget });
  }

  /** Takes the parent's answer to a task that had used up its slice. */
  grant({ call, childSeq, budget, isRefused = false }: EntryOf<"budget_granted">): void {
    const task = this.#byCall?.get(call);
    if (task === undefined || childSeq <= task.answeredSeq) return;
    task.answeredSeq = childSeq;
    task.budget = { ...task.budget, ...budget };
    task.isRefused = isRefused;
  }

  /** Slice of the parent's budgets; undefined if there is none. */
  budgetFor(call: string): TaskBudget | undefined {
    const task = this.#byCall?.get(call);
    return task?.budget === undefined ? undefined : (task as TaskBudget);
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

  /** @internal State for a checkpoint. */
  save(): SavedTasks {
    const tasks = [...(this.#byCall ?? [])].map(([call, task]) => [call, { ...task }] as const);
    return { tasks, last: this.#last };
  }

  /** @internal Takes over the state of a checkpoint. */
  load({ tasks, last }: SavedTasks): void {
    if (tasks.length > 0) {
      this.#byCall = new Map(tasks.map(([call, task]) => [call, { ...task, cost: task.cost }]));
    }
    this.#last = last;
  }

  /** Call of the task with this id. */
  callOf(taskId: string): string | undefined {
    for (const [call, { id }] of this.#byCall ?? []) if (id === taskId) return call;
    return undefined;
  }
}
