/** Types of an agent: one parameter that agents, sessions, turns and hosts share. */
import type { JsonValue, PendingCall } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import type { SendOptions } from "../input/input.ts";
import type { AppField } from "../tools/app-schema.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { EventOf, PendingCallOf } from "../tools/tool-calls.ts";

/** Everything that types know of an agent. The widest one, as in `Agent` and `Session` without an argument, knows nothing. */
export interface AgentTypes {
  readonly name: string;
  /** Typed answer; undefined if the agent has no schema for it. */
  readonly output: unknown;
  /** Value that `run` resolves with: the typed answer, or the text if the agent has no schema. */
  readonly reply: unknown;
  /** The answer while the model writes it, before the transforms of its schema. */
  readonly partialOutput: unknown;
  /** Application context that callers give; undefined if the agent has none. */
  readonly app: unknown;
  /** Field of options with the application context, and the options of `run`: required if the agent has one. */
  readonly appField: { readonly app?: unknown };
  readonly runArguments: readonly [options?: SendOptions];
  readonly toolName: string;
  readonly pendingCall: PendingCall;
  readonly event: SessionEvent;
}

/** Options of a turn without a session: required if the agent has an application context. */
export type RunArguments<SentApp, ToolName extends string> = undefined extends SentApp
  ? readonly [options?: SendOptions<SentApp, ToolName>]
  : readonly [options: SendOptions<SentApp, ToolName> & AppField<SentApp>];

/** Types of an agent with these options. */
export interface KnownAgent<
  Name extends string,
  Output,
  SentOutput,
  SentApp,
  Tools extends readonly AnyTool[],
> {
  readonly name: Name;
  readonly output: Output;
  readonly reply: ReplyOf<Output, SentOutput>;
  readonly partialOutput: DeepPartial<SentOutput>;
  readonly app: SentApp;
  readonly appField: AppField<SentApp>;
  readonly runArguments: RunArguments<SentApp, Tools[number]["name"]>;
  readonly toolName: Tools[number]["name"];
  readonly pendingCall: PendingCallOf<Tools[number]>;
  readonly event: EventOf<Tools[number]>;
}

/** The text, if there is no schema: no model can write undefined. */
type ReplyOf<Output, SentOutput> = unknown extends SentOutput
  ? Output
  : [SentOutput] extends [undefined]
    ? string
    : Output;

/** A JSON value that is not complete: fields are missing, lists are shorter, strings and numbers cut off. */
export type DeepPartial<Value> = unknown extends Value
  ? JsonValue
  : Value extends string
    ? string
    : Value extends number
      ? number
      : Value extends boolean | null
        ? Value
        : Value extends readonly unknown[]
          ? readonly DeepPartial<Value[number]>[]
          : Value extends object
            ? { readonly [Field in keyof Value]?: DeepPartial<Value[Field]> }
            : never;
