/** Small tools for tests; each records its calls. */
import type { JsonValue, ToolContract, ToolExecuteContext } from "@capstan/kernel";

/** Everything in a tool contract but `execute`. The name has a default. */
export type TestToolOptions = Partial<Omit<ToolContract, "execute">>;

/** A call that a test tool got. */
export interface StartedCall {
  readonly toolCallId: string;
  readonly input: JsonValue;
  readonly context: ToolExecuteContext;
}

/** A tool that records its calls. */
export interface RecordingTool extends ToolContract {
  /** Executions, in start order. */
  readonly started: readonly StartedCall[];
}

/** Creates a tool that answers with the JSON of its input. Named `echo`. */
export function echoTool(options: TestToolOptions = {}): RecordingTool {
  const started: StartedCall[] = [];
  return {
    ...declaration("echo", "Answers with its input", options),
    started,
    execute(input: JsonValue, context) {
      started.push({ toolCallId: context.toolCallId, input, context });
      return JSON.stringify(input);
    },
  };
}

/** Throws. Named `fail`. */
export function failingTool(
  options: TestToolOptions & { readonly error?: Error } = {},
): RecordingTool {
  const { error = new Error("the tool failed"), ...contract } = options;
  const started: StartedCall[] = [];
  return {
    ...declaration("fail", "Fails", contract),
    started,
    execute(input: JsonValue, context) {
      started.push({ toolCallId: context.toolCallId, input, context });
      throw error;
    },
  };
}

/** Creates a tool that runs elsewhere. Has no `execute`: a client runs it and answers. Named `remote`. */
export function remoteTool(options: TestToolOptions = {}): ToolContract {
  return declaration("remote", "Runs in another process", options);
}

export function declaration(
  name: string,
  description: string,
  options: TestToolOptions,
): ToolContract {
  return { name, description, inputSchema: { type: "object" }, ...options };
}
