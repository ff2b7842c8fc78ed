/** An MCP server of the simulated world, which outlives every process, and tools that call it as an MCP client does: all they know is in the log. */
import { suspend } from "@capstan/kernel";
import type { JsonValue, ToolContract, ToolExecuteContext, ToolReturn } from "@capstan/kernel";
import type { ToolboxOptions } from "./toolbox.ts";
import type { Violations } from "./violation.ts";

/** Time between two polls. */
const pollMs = 200;

interface Task {
  readonly key: string;
  polls: number;
  isAnswered: boolean;
}

/** Counts nothing itself: effects are those of the world. Keys are those of calls. */
export class SimulatedMcpServer {
  readonly #violations: Violations;
  /** Keys of the calls that it asked about, by the state it gave out. */
  readonly #asked = new Map<string, string>();
  readonly #tasks = new Map<string, Task>();

  constructor(violations: Violations) {
    this.#violations = violations;
  }

  /** Answers a call with a form. Returns the `requestState`. */
  ask(key: string): string {
    const state = `state ${this.#asked.size + 1}`;
    this.#asked.set(state, key);
    return state;
  }

  /** Takes the same call again, with the form and its state. */
  takeForm(key: string, state: JsonValue | undefined): void {
    if (typeof state === "string" && this.#asked.get(state) === key) return;
    this.#violate(`the call ${key} came back with the state ${JSON.stringify(state)}`);
  }

  /** Answers a call with a task. Returns its id. */
  begin(key: string): string {
    const taskId = `task ${this.#tasks.size + 1}`;
    this.#tasks.set(taskId, { key, polls: 0, isAnswered: false });
    return taskId;
  }

  poll(key: string, taskId: JsonValue | undefined): "working" | "input_required" | "completed" {
    const task = this.#find(key, taskId);
    // Not known: the call ends, and the violation tells why.
    if (task === undefined) return "completed";
    task.polls += 1;
    if (task.polls === 1) return "working";
    return task.isAnswered ? "completed" : "input_required";
  }

  /** Takes the answer to a task's question; again changes nothing. */
  update(key: string, taskId: JsonValue | undefined): void {
    const task = this.#find(key, taskId);
    if (task !== undefined) task.isAnswered = true;
  }

  #find(key: string, taskId: JsonValue | undefined): Task | undefined {
    const task = typeof taskId === "string" ? this.#tasks.get(taskId) : undefined;
    if (task?.key === key) return task;
    this.#violate(`the call ${key} asked for the task ${JSON.stringify(taskId)}`);
    return undefined;
  }

  #violate(message: string): void {
    this.#violations.add("effects", `at the MCP server, ${message}`);
  }
}

type Declare = (name: "form" | "task") => Omit<ToolContract, "execute">;

/** `form` has its effect with the answer, `task` when it begins. */
export function mcpTools(
  options: ToolboxOptions,
  declare: Declare,
  outputOf: (name: string) => string,
): readonly ToolContract[] {
  return [
    {
      ...declare("form"),
      execute: (input: JsonValue, context) => fillForm(options, input, context, outputOf("form")),
    },
    {
      ...declare("task"),
      execute: (input: JsonValue, context) => followTask(options, input, context, outputOf("task")),
      // A run that only follows a task may be repeated.
      reconcile: (_key, { resumed }) => ({
        outcome: resumed === undefined ? "unknown" : "not-run",
      }),
    },
  ];
}

async function fillForm(
  options: ToolboxOptions,
  input: JsonValue,
  context: ToolExecuteContext,
  output: string,
): Promise<ToolReturn> {
  const { life, mcp } = options;
  const { resumed, idempotencyKey: key } = context;
  await life.pass();
  if (context.signal.aborted) throw new Error("stopped");
  if (!isAnswered(context)) {
    const state = { requestState: mcp.ask(key) };
    await life.pass();
    return suspend({ questions: [{ kind: "execution", input }], state });
  }
  const { requestState } = fieldsOf(resumed?.state);
  await takeEffect(options, "form", input, context);
  mcp.takeForm(key, requestState);
  await life.pass();
  return output;
}

async function followTask(
  options: ToolboxOptions,
  input: JsonValue,
  context: ToolExecuteContext,
  output: string,
): Promise<ToolReturn> {
  const { life, mcp, now } = options;
  const { resumed, idempotencyKey: key } = context;
  await life.pass();
  if (context.signal.aborted) throw new Error("stopped");
  const sleep = (taskId: JsonValue): ToolReturn =>
    suspend({ questions: [], state: { taskId }, wakeAt: now() + pollMs });
  if (resumed === undefined) {
    await takeEffect(options, "task", input, context);
    const taskId = mcp.begin(key);
    await life.pass();
    return sleep(taskId);
  }
  const { taskId = null } = fieldsOf(resumed.state);
  if (isAnswered(context)) mcp.update(key, taskId);
  await life.pass();
  const status = mcp.poll(key, taskId);
  await life.pass();
  if (status === "completed") return output;
  if (status === "working") return sleep(taskId);
  return suspend({ questions: [{ kind: "execution", input }], state: { taskId } });
}

async function takeEffect(
  { life, onEffect }: ToolboxOptions,
  name: "form" | "task",
  input: JsonValue,
  context: ToolExecuteContext,
): Promise<void> {
  const arrival = life.arrive(`effect ${name}`);
  arrival.before();
  await life.pass();
  await onEffect(name, input, context);
  arrival.after();
  await life.pass();
}

function isAnswered({ resumed }: ToolExecuteContext): boolean {
  return resumed?.answers.some(({ state }) => state === "settled") === true;
}

function fieldsOf(state: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  const isObject = typeof state === "object" && state !== null && !Array.isArray(state);
  return isObject ? (state as Readonly<Record<string, JsonValue>>) : {};
}
