/** Validates application contexts: when callers give them, and again when a turn is planned. */
import type { JsonValue } from "@capstan/kernel";
import { background, isPromise, serializeError, toPromise } from "@capstan/kernel";
import { AgentError } from "../errors/agent-error.ts";
import { invalid } from "../errors/session-error.ts";
import { toStoredJson } from "../input/stored-json.ts";
import type { AppSchema } from "../tools/app-schema.ts";
import type { AnyTool } from "../tools/tool.ts";
import { describeIssues } from "./schema-issues.ts";

/** Schemas of an agent and of its tools. Each validates the value as it was given. */
interface AppSchemas {
  readonly appContext?: AppSchema;
  readonly tools?: readonly AnyTool[];
}

/** Validated application contexts, by schema. */
export type AppValues = ReadonlyMap<AppSchema, unknown>;

/** Returns the value that the log stores: as given, but plain JSON. Throws `invalid_input`. */
export function toStoredApp(schemas: AppSchemas, agentName: string, given: unknown): JsonValue {
  if (schemas.appContext === undefined) {
    throw invalid(`The agent "${agentName}" has no appContext, so it takes no \`app\`: omit it`);
  }
  if (given === undefined) {
    throw invalid(
      `The agent "${agentName}" has an appContext: pass \`app\`, the application context of the caller`,
    );
  }
  const app = toStoredJson(given, "app");
  const checked = check(schemas, app);
  if (typeof checked === "string") throw invalid(`Invalid \`app\`: ${checked}`);
  return app;
}

/** Returns the values for a turn of an agent with an app context. Throws `invalid_app_context`. */
export function validateApp(schemas: AppSchemas, stored: JsonValue | undefined): AppValues {
  const checked =
    stored === undefined
      ? "it has none. Pass `app` when the session is created, or with this send"
      : check(schemas, stored);
  if (typeof checked !== "string") return checked;
  const message = `The application context of the session does not fit this agent: ${checked}`;
  throw new AgentError("invalid_app_context", message);
}

/** Returns the validated values, or the problem. */
function check({ appContext, tools = [] }: AppSchemas, app: JsonValue): AppValues | string {
  const values = new Map<AppSchema, unknown>();
  const all = [{ schema: appContext, name: "" }].concat(
    tools.map((tool) => ({ schema: tool.appContext, name: `tool "${tool.name}": ` })),
  );
  for (const { schema, name } of all) {
    if (schema === undefined || values.has(schema)) continue;
    const result = run(schema, app);
    if (typeof result === "string") return `${name}${result}`;
    values.set(schema, result.value);
  }
  return values;
}

function run(schema: AppSchema, app: JsonValue): { readonly value: unknown } | string {
  try {
    // A copy, because a schema may pass on parts of its input, and tools may change them.
    const result = schema["~standard"].validate(structuredClone(app));
    if (isPromise(result)) {
      background(toPromise(result), () => {});
      return "its schema is asynchronous, and must be synchronous";
    }
    return result.issues === undefined ? result : describeIssues(result.issues);
  } catch (thrown) {
    return `its schema failed: ${serializeError(thrown).message}`;
  }
}
