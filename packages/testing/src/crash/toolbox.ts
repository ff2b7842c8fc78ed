/** Tools of every scenario, in one process. */
import { suspend } from "@capstan/kernel";
import type {
  JsonValue,
  ToolContract,
  ToolDeclaration,
  ToolExecuteContext,
  ToolReturn,
} from "@capstan/kernel";
import type { Life } from "./life.ts";
import type { CrashToolName } from "./scenario.ts";
import { mcpTools } from "./simulated-mcp.ts";
import type { SimulatedMcpServer } from "./simulated-mcp.ts";

export interface ToolboxOptions {
  readonly life: Life;
  /** Called when a call has its effect on the world. */
  onEffect(
    toolName: CrashToolName,
    input: JsonValue,
    context: ToolExecuteContext,
  ): void | Promise<void>;
  hasEffect(key: string): boolean;
  readonly mcp: SimulatedMcpServer;
  now(): number;
}

/** How long calls with a deadline wait. */
const patienceMs = 2_000;

export function toolbox(options: ToolboxOptions): readonly ToolContract[] {
  const local = (name: CrashToolName, more: Partial<ToolContract> = {}): ToolContract => ({
    ...declaration(name),
    ...more,
    execute: (input: JsonValue, context: ToolExecuteContext) =>
      execute(options, name, input, context),
  });
  return [
    local("pure", { effect: "pure" }),
    local("long", { effect: "pure" }),
    local("picture", { effect: "pure" }),
    local("idempotent", { effect: "idempotent" }),
    local("once"),
    local("checked", {
      reconcile: async (key) => {
        await options.life.pass();
        if (!options.hasEffect(key)) return { outcome: "not-run" };
        return { outcome: "done", output: outputOf("checked") };
      },
    }),
    local("alone", { execution: "sequential" }),
    local("suspending"),
    ...mcpTools(options, declaration, outputOf),
    { ...declaration("calling"), effect: "idempotent", execute: callOthers },
    local("guarded", { needsApproval: true }),
    local("hurried", { needsApproval: true, answerWithinMs: patienceMs }),
    declaration("remote"),
    { ...declaration("ignored"), answerWithinMs: patienceMs },
  ];
}

/** Tools as configured in a session: the agent's by their names. */
export function toChosenTools(names: readonly CrashToolName[]): (string | ToolDeclaration)[] {
  return names.map((name) => (name === "lent" ? declaration(name) : name));
}

/** Same for every run of a call, so that a rerun changes nothing the model sees. */
export function outputOf(toolName: string): string {
  return toolName === "long" ? longOutput : `${toolName} is done`;
}

const longOutput = Array.from({ length: 40 }, (_, line) => `line ${line + 1} 😀`).join("\n");

/** One pixel. */
const picture = {
  type: "image",
  mediaType: "image/gif",
  data: "R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==",
} as const;

async function execute(
  { life, onEffect }: ToolboxOptions,
  name: CrashToolName,
  input: JsonValue,
  context: ToolExecuteContext,
): Promise<ToolReturn> {
  // Inputs come from the scenario.
  const { ms = 0, fails = false } = input as { readonly ms?: number; readonly fails?: boolean };
  await life.pass();
  if (context.signal.aborted) throw new Error("stopped");
  if (name === "suspending" && !isAnswered(context)) return suspending(input, context);
  const arrival = life.arrive(`effect ${name}`);
  arrival.before();
  await life.pass();
  await onEffect(name, input, context);
  arrival.after();
  await life.pass();
  context.update("half ");
  if (ms > 0) await life.sleep(ms, context.signal);
  context.update("done");
  await life.pass();
  if (fails) throw new Error(`${name} failed`);
  return name === "picture" ? [picture] : outputOf(name);
}

function isAnswered({ resumed }: ToolExecuteContext): boolean {
  return resumed?.answers.some(({ state }) => state === "settled") === true;
}

/** Asks again until there is an answer. */
function suspending(input: JsonValue, { resumed }: ToolExecuteContext): ToolReturn {
  const round = resumed === undefined ? 0 : Number(resumed.state);
  return suspend({ questions: [{ kind: "execution", input }], state: round + 1 });
}

/** Calls other tools with its own input. */
async function callOthers(input: JsonValue, context: ToolExecuteContext): Promise<ToolReturn> {
  await context.call?.("once", input);
  await Promise.all([context.call?.("idempotent", input), context.call?.("guarded", input)]);
  return outputOf("calling");
}

function declaration(name: CrashToolName): ToolDeclaration {
  return { name, description: name, inputSchema: { type: "object" } };
}
