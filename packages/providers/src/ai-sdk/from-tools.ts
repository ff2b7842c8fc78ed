/** Converts AI SDK tools to ours. */
import type {
  JsonSchema,
  ToolContract,
  ToolExecuteContext,
  ToolExecutionEvent,
} from "@capstan/kernel";
import { ProviderError, serializeError } from "@capstan/kernel";
import type { AiSdkToolSettings, DeclaredTool } from "./declared-tool.ts";
import { optionsOf } from "./encode-native.ts";
import type { AnyAiSdkMessage } from "./from-messages.ts";
import { toJson } from "./fields.ts";
import { readOutput, toText } from "./read-output.ts";
import type { ReadSchema } from "./tool-schema.ts";
import { readSchema } from "./tool-schema.ts";

/** Any tool in an AI SDK `ToolSet`. */
export interface AnyAiSdkTool {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | ((options: never) => string) | undefined;
  readonly inputSchema?: unknown;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
  readonly needsApproval?:
    | boolean
    | ((input: never, options: never) => boolean | PromiseLike<boolean>)
    | undefined;
  readonly strict?: boolean | undefined;
  readonly inputExamples?: readonly object[] | undefined;
  readonly providerOptions?: object | undefined;
  readonly id?: string | undefined;
  readonly args?: object | undefined;
  readonly isProviderExecuted?: boolean | undefined;
}

/** Options of `fromAiSdkTools`. */
export interface FromAiSdkToolsOptions {
  /** Supplies the `messages` passed to `execute`, which a call here does not know. Default: none. */
  readonly messages?: () => readonly AnyAiSdkMessage[];
  /** The `context` passed to each tool, by tool name. */
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Models from `fromAiSdk` also get `strict`, provider options and vendor-defined tools. */
export type AiSdkToolContract = ToolContract & DeclaredTool;

/** Converts tools for `createAgent({ tools })`. A tool without `execute` is remote. Throws a `ProviderError` if a schema has no JSON Schema form. */
export function fromAiSdkTools(
  tools: Readonly<Record<string, AnyAiSdkTool>>,
  options: FromAiSdkToolsOptions = {},
): AiSdkToolContract[] {
  return Object.entries(tools).map(([name, tool]) => fromTool(name, tool, options));
}

function fromTool(
  name: string,
  tool: AnyAiSdkTool,
  options: FromAiSdkToolsOptions,
): AiSdkToolContract {
  const call = new ForeignTool(name, tool, options);
  const { execute, needsApproval } = tool;
  const settings = settingsOf(tool);
  return {
    name,
    description: call.description(),
    inputSchema: call.jsonSchema,
    ...(tool.title !== undefined && { label: tool.title }),
    parseInput: (sent) => call.parse(sent),
    ...(execute && { execute: (input: never, context) => call.run(input, context) }),
    ...(needsApproval !== undefined && {
      needsApproval:
        typeof needsApproval === "boolean" ? needsApproval : (sent) => call.needsApproval(sent),
    }),
    ...(Object.keys(settings).length > 0 && { aiSdk: settings }),
  };
}

function settingsOf(tool: AnyAiSdkTool): AiSdkToolSettings {
  const { id = "", args = {}, isProviderExecuted = false } = tool;
  if (tool.type?.startsWith("provider") === true) {
    // The AI SDK guarantees the dot.
    const kept = { id: id as `${string}.${string}`, args: { ...args } };
    return { type: "provider", ...kept, isProviderExecuted };
  }
  const { strict, inputExamples } = tool;
  return {
    ...(strict !== undefined && { strict }),
    // Examples are JSON, like the input itself.
    ...(inputExamples !== undefined && { inputExamples: [...inputExamples] as { input: {} }[] }),
    ...optionsOf(toJson({ providerOptions: tool.providerOptions })),
  };
}

const noOutput = "(no output)";

/** Calls the functions of an AI SDK tool with the arguments it expects. */
class ForeignTool {
  readonly #name: string;
  readonly #tool: AnyAiSdkTool;
  readonly #options: FromAiSdkToolsOptions;
  readonly #schema: ReadSchema;

  constructor(name: string, tool: AnyAiSdkTool, options: FromAiSdkToolsOptions) {
    this.#name = name;
    this.#tool = tool;
    this.#options = options;
    this.#schema = readSchema(name, tool.inputSchema);
  }

  get jsonSchema(): JsonSchema {
    return this.#schema.jsonSchema;
  }

  get parse(): ReadSchema["parse"] {
    return (sent) => this.#schema.parse(sent);
  }

  description(): string {
    const { description = "" } = this.#tool;
    if (typeof description === "string") return description;
    try {
      return description(this.#given("") as never);
    } catch (cause) {
      const said = serializeError(cause).message;
      const message = `The tool "${this.#name}" failed to produce its description: ${said}. If it needs a context, pass it as context: { "${this.#name}": … }`;
      throw new ProviderError("invalid_request", message, { cause });
    }
  }

  /** The AI SDK passes the input as the schema parsed it. */
  async needsApproval(sent: unknown): Promise<boolean> {
    const { needsApproval } = this.#tool;
    const parsed = await this.parse(sent);
    if (typeof needsApproval !== "function" || parsed.issues !== undefined) return false;
    return needsApproval(parsed.value as never, this.#given("") as never);
  }

  /** Yielded outputs replace each other; the last one is the result. An output that only extends the text shown so far is streamed as a delta. */
  async *run(
    input: unknown,
    { toolCallId, signal }: ToolExecuteContext,
  ): AsyncGenerator<ToolExecutionEvent> {
    const call = { ...this.#given(toolCallId), abortSignal: signal };
    const returned = this.#tool.execute?.(input as never, call as never);
    let output: unknown;
    let shown = "";
    if (isAsyncIterable(returned)) {
      for await (const next of returned) {
        output = next;
        if (typeof next !== "string" || !next.startsWith(shown) || next === shown) continue;
        yield { type: "delta", delta: next.slice(shown.length) };
        shown = next;
      }
    } else output = await returned;
    yield await this.#complete(toolCallId, input, output);
  }

  async #complete(
    toolCallId: string,
    input: unknown,
    output: unknown,
  ): Promise<ToolExecutionEvent> {
    const { toModelOutput } = this.#tool;
    if (toModelOutput === undefined) {
      return { type: "complete", output: toText(output) || noOutput };
    }
    const shown = await toModelOutput({ toolCallId, input, output } as never);
    const { content, isError } = readOutput(shown);
    return { type: "complete", output: content || noOutput, isError, details: output };
  }

  #given(toolCallId: string): object {
    const { messages, context } = this.#options;
    return {
      toolCallId,
      messages: messages?.() ?? [],
      context: context?.[this.#name],
    };
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
