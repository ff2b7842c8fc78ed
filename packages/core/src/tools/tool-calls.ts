/** Types of the calls of known tools, in events and in pending calls. */
import type { JsonValue, PendingCall, ToolCallPart } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { AnyTool, ToolTypes } from "./tool.ts";

/**
 * Name of a tool that the type of the agent does not have: `read_output`, a client-side tool, or one of `session.configure`. The prefix
 * exists in the type only. A branded string would do, if the compiler did not compare it with every literal.
 */
export type OtherToolName = `(other) ${string}`;

/** Name and input of a call. The name tells the type of the input, which is JSON as the model sent it. */
export type NamedCall<Tool extends AnyTool> =
  | (Tool extends unknown ? CallOf<Tool> : never)
  | { readonly toolName: OtherToolName; readonly input: JsonValue };

interface CallOf<Tool extends AnyTool> {
  readonly toolName: Tool["name"];
  readonly input: SentTo<Tool>;
}

type SentTo<Tool extends AnyTool> = Tool extends {
  readonly "~types"?: infer Known extends ToolTypes | undefined;
}
  ? JsonOf<NonNullable<Known>["sent"]>
  : JsonValue;

/** A value as JSON has it: without undefined. */
export type JsonOf<Value> = Value extends JsonValue
  ? Value
  : Value extends object
    ? { readonly [Field in keyof Value]: JsonOf<Value[Field]> }
    : unknown extends Value
      ? JsonValue
      : never;

/** A pending call of these tools. */
export type PendingCallOf<Tool extends AnyTool> = Omit<PendingCall, "toolName" | "input"> &
  NamedCall<Tool>;

/** An event of a turn with these tools. Every one is a `SessionEvent`. */
export type EventOf<Tool extends AnyTool> =
  | OtherEvent
  | (Omit<ByType<"tool_execution_start">, "toolName" | "input"> & NamedCall<Tool>)
  | (Omit<ByType<"tool_execution_end">, "toolName"> & { readonly toolName: NameOf<Tool> })
  | (Omit<ByType<"toolcall_start">, "name"> & { readonly name: NameOf<Tool> })
  | (Omit<ByType<"toolcall_end">, "toolCall"> & {
      readonly toolCall: ToolCallPart & { readonly name: NameOf<Tool> };
    })
  | (Omit<ByType<"awaiting_tool_execution">, "pending"> & {
      readonly pending: readonly PendingCallOf<Tool>[];
    })
  | (Omit<ByType<"turn_end">, "pending"> & {
      readonly pending?: readonly PendingCallOf<Tool>[];
    });

type NameOf<Tool extends AnyTool> = Tool["name"] | OtherToolName;

type ByType<Type extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: Type }>;

/** Events that name no tool. */
type OtherEvent = Exclude<
  SessionEvent,
  {
    readonly type:
      | "tool_execution_start"
      | "tool_execution_end"
      | "toolcall_start"
      | "toolcall_end"
      | "awaiting_tool_execution"
      | "turn_end";
  }
>;
