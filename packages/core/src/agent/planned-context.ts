/** Context of one turn, for everything of the agent that runs in it. */
import type { JsonValue } from "@capstan/kernel";
import type { AgentInit } from "./agent-init.ts";
import type { AppValues } from "./app-context.ts";
import { validateApp } from "./app-context.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { SessionContext, SessionInfo, TurnContext, TurnInfo } from "../tools/turn-context.ts";

/** Context of a turn, as the log has it. */
export interface GivenContext {
  readonly session: SessionInfo;
  readonly turn: TurnInfo;
  /** Application context as it was given. */
  readonly app?: JsonValue;
}

export interface PlannedContext {
  /** Throws `invalid_app_context` if the turn must not run. */
  value(): TurnContext;
  /** Application contexts of tools with a schema of their own. */
  readonly apps: AppValues;
}

/** `tools` returns those of the turn. */
export function planContext(
  { session, turn, app }: GivenContext,
  { appContext }: AgentInit,
  tools: () => readonly AnyTool[],
): PlannedContext {
  try {
    const apps = appContext ? validateApp({ appContext, tools: tools() }, app) : noApps;
    const context = {
      session: withFrozenMetadata(session),
      turn: withFrozenMetadata(turn),
      app: appContext && apps.get(appContext),
    };
    return new ValidContext(apps, context);
  } catch (thrown) {
    const value = (): never => {
      throw thrown;
    };
    return { apps: noApps, value };
  }
}

class ValidContext implements PlannedContext {
  readonly apps: AppValues;
  readonly #context: TurnContext;

  constructor(apps: AppValues, context: TurnContext) {
    this.apps = apps;
    this.#context = context;
  }

  value(): TurnContext {
    return this.#context;
  }
}

const noApps: AppValues = new Map();

/** Session whose metadata callbacks cannot change. A class, because an object literal with a getter keeps what it refers to in memory for long. */
export class FrozenSession implements SessionContext {
  readonly #context: SessionContext;

  constructor(context: SessionContext) {
    this.#context = context;
  }

  get session(): SessionInfo {
    return withFrozenMetadata(this.#context.session);
  }
}

/** Callbacks must not change the log's value: the change would be lost in a crash. */
function withFrozenMetadata<Info extends { readonly metadata?: JsonValue }>(info: Info): Info {
  const { metadata } = info;
  return isPlain(metadata) ? info : { ...info, metadata: frozenCopy(metadata) };
}

function isPlain(value: JsonValue | undefined): value is undefined | null {
  return typeof value !== "object" || value === null;
}

function frozenCopy(value: JsonValue): JsonValue {
  // Frozen from the inside out, as the reviver visits inner values first.
  return JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
    Object.freeze(inner),
  ) as JsonValue;
}
