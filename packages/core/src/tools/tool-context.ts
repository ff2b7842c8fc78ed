/** The context of a tool call: the kernel's, the session and turn it runs for, and the dependencies of its scope. */
import type {
  ChatMessage,
  Logger,
  Resumption,
  ToolExecuteContext,
  ToolResult,
  Usage,
} from "@capstan/kernel";
import { ToolCallError } from "@capstan/kernel";
import type { SessionIds } from "@capstan/log";
import type { Dependency } from "./dependency.ts";
import { DependencyError } from "../errors/dependency-error.ts";
import type { Binding } from "./scoped-function.ts";
import type { RemoteTool, ToolTypes } from "./tool.ts";
import type { SessionInfo, TurnContext, TurnInfo } from "./turn-context.ts";

/**
 * Second argument of a tool's `execute`: ids, signal, idempotency key, application context, progress, other tools
 * and dependencies.
 */
export interface ToolContext<App = unknown>
  extends Omit<ToolExecuteContext, "conversationId" | "call">, SessionIds, TurnContext<App> {
  /**
   * Calls another tool of the agent, given as the tool or by its name: its input is validated, hooks and approvals apply, and the result is
   * recorded. A tool that fails or is refused is an error result.
   *
   * If this tool runs again, after a crash or an answer, the calls that are recorded are not repeated: they are told by their order and input. A
   * call that would have to wait, for an approval or for a client, suspends this tool if its `effect` is `pure` or `idempotent`: the promise
   * rejects with the code `suspended`, and the tool runs again once there is an answer. Otherwise it rejects with `cannot_wait_here`.
   */
  call<Known extends ToolTypes>(tool: RemoteTool<Known>, input: Known["sent"]): Promise<ToolResult>;
  call(toolName: string, input: unknown): Promise<ToolResult>;
  /** Returns the value of a dependency, made by its factory on first use in its scope. */
  get<Value>(dependency: Dependency<Value>): Promise<Value>;
}

/** One per call, so it is small; `signal` and `idempotencyKey` are expensive and made on first read. */
export class ScopedContext implements ToolContext {
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly step: number;
  readonly cwd: string | undefined;
  readonly logger: Logger | undefined;
  readonly session: SessionInfo;
  readonly turn: TurnInfo;
  readonly app: unknown;
  readonly #call: ToolExecuteContext;
  readonly #scope: Binding["scope"] | undefined;

  constructor(call: ToolExecuteContext, { scope, context }: Partial<Binding> = {}) {
    this.toolCallId = call.toolCallId;
    this.sessionId = call.conversationId;
    this.turnId = call.turnId;
    this.step = call.step;
    this.cwd = call.cwd;
    this.logger = call.logger;
    this.session = context?.session ?? { id: call.conversationId };
    this.turn = context?.turn ?? { id: call.turnId };
    this.app = context?.app;
    this.#call = call;
    this.#scope = scope;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get idempotencyKey(): string {
    return this.#call.idempotencyKey;
  }

  get messages(): readonly ChatMessage[] | undefined {
    return this.#call.messages;
  }

  get resumed(): Resumption | undefined {
    return this.#call.resumed;
  }

  // The functions are getters, so that `execute(input, { get, update })` works.

  get call(): (tool: RemoteTool | string, input: unknown) => Promise<ToolResult> {
    return (tool, input) => {
      const name = typeof tool === "string" ? tool : tool.name;
      return this.#call.call?.(name, input) ?? Promise.reject(outside(name));
    };
  }

  get update(): (delta: string) => void {
    return (delta) => this.#call.update(delta);
  }

  get usage(): (child: Usage, cost?: number) => void {
    return (child, cost) => this.#call.usage(child, cost);
  }

  get get(): <Value>(dependency: Dependency<Value>) => Promise<Value> {
    return (dependency) => this.#scope?.get(dependency) ?? Promise.reject(unbound(dependency.name));
  }
}

function outside(name: string): ToolCallError {
  return new ToolCallError(
    "no_turn",
    `"${name}" cannot be called: this tool runs outside of a turn`,
  );
}

function unbound(name: string): DependencyError {
  const message = `Cannot get "${name}" without a scope: bind the tools with bindTools(tools, scope), or pass them to an agent`;
  return new DependencyError("unbound", name, message);
}
