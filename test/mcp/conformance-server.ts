/** The server of the conformance tests: agents that follow a script, offered as the tools that the scenarios call. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Agent } from "@capstan/core";
import { createAgent, createHost, defineTool, memoryRepository, suspend } from "@capstan/core";
import type { JsonValue, ProviderRequest } from "@capstan/kernel";
import type { OfferedAgent } from "@capstan/mcp/server";
import { mcpServer, toNodeListener } from "@capstan/mcp/server";
import type { ScriptItem } from "@capstan/testing";
import { callTool, failBefore, say, scriptedProvider } from "@capstan/testing";
import { z } from "zod";

type Input = Readonly<Record<string, JsonValue>>;

const anything = z.looseObject({});

/** Waits, and ends with the turn. */
const wait = defineTool({
  name: "wait",
  description: "Waits",
  input: z.object({ seconds: z.number() }),
  execute: ({ seconds }, { signal }) =>
    new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve("waited"), seconds * 1_000);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve("stopped");
      });
    }),
});

/** Asks with a form, and answers with what was filled in. */
const ask = defineTool({
  name: "ask",
  description: "Asks",
  input: z.looseObject({ message: z.string(), schema: z.looseObject({}) }),
  execute({ message, schema }, { resumed }) {
    const [answer] = resumed?.answers ?? [];
    if (answer?.state === "settled") return JSON.stringify(answer.result.output);
    const input = { mode: "form", message, schema: schema as JsonValue };
    return suspend({ questions: [{ kind: "execution", input }], state: null });
  },
});

/** Reply of the model to an input, and to each of the results that follow; after the last it tells what the tool said. */
type Reply = (input: Input) => ScriptItem;

function agentOf(name: string, steps: readonly Reply[]): Agent {
  const item = ({ messages }: ProviderRequest): ScriptItem => {
    const input = messages.find((message) => message.role === "user")?.content;
    const results = messages.filter((message) => message.role === "tool");
    const step = steps[messages.filter(({ role }) => role === "assistant").length];
    if (step !== undefined)
      return step(JSON.parse(typeof input === "string" ? input : "{}") as Input);
    return say(`Done: ${JSON.stringify(results.map(({ content }) => content))}`);
  };
  const model = scriptedProvider(Array.from({ length: 10_000 }, () => item));
  return createAgent({ name, model, tools: [wait, ask], retry: { maxAttempts: 1 } });
}

const asking =
  (message: string, properties: JsonValue, required: readonly string[] = []): Reply =>
  () =>
    callTool("ask", { message, schema: { type: "object", properties, required: [...required] } });

const text =
  (value: string): Reply =>
  () =>
    say(value);
const name = { name: { type: "string" } };
const options = ["option1", "option2", "option3"];

const waiting =
  (seconds: number): Reply =>
  () =>
    callTool("wait", { seconds });

/** Agents whose turns have several steps. */
const longer: Readonly<Record<string, readonly Reply[]>> = {
  test_input_required_result_multi_round: [
    asking("What is your name?", name, ["name"]),
    asking("Your colour?", { color: { type: "string" } }, ["color"]),
  ],
  confirm_delete: [asking("Delete it?", { confirm: { type: "boolean" } }, ["confirm"])],
  multi_input: [(input) => [asking("Your name?", name)(input), asking("Your age?", name)(input)]],
  test_tool_with_task: [asking("What is your name?", name, ["name"]), waiting(5)],
};

const replies: Readonly<Record<string, Reply>> = {
  test_simple_text: text("This is a simple text response for testing."),
  test_error_handling: () =>
    failBefore(new Error("This tool intentionally returns an error for testing")),
  test_tool_with_progress: () => callTool("wait", { seconds: 0.05 }),
  test_elicitation: ({ message = "?" }) =>
    callTool("ask", {
      message,
      schema: {
        type: "object",
        properties: { username: { type: "string" }, email: { type: "string" } },
        required: ["username", "email"],
      },
    }),
  test_elicitation_sep1034_defaults: asking("Defaults", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  }),
  test_elicitation_sep1330_enums: asking("Enums", {
    untitledSingle: { type: "string", enum: options },
    titledSingle: {
      type: "string",
      oneOf: ["value1", "value2", "value3"].map((value) => ({ const: value, title: value })),
    },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: options } },
    titledMulti: {
      type: "array",
      items: {
        anyOf: ["value1", "value2", "value3"].map((value) => ({ const: value, title: value })),
      },
    },
  }),
  test_input_required_result_elicitation: asking("What is your name?", name, ["name"]),
  test_input_required_result_request_state: asking("Please confirm", { ok: { type: "boolean" } }, [
    "ok",
  ]),
  test_input_required_result_tampered_state: asking("Please confirm", { ok: { type: "boolean" } }, [
    "ok",
  ]),
  test_input_required_result_capabilities: asking("What is your name?", name, ["name"]),
  greet: ({ name: whom = "you" }) => say(`Hello, ${typeof whom === "string" ? whom : "you"}!`),
  slow_compute: ({ seconds = 0 }) => callTool("wait", { seconds }),
  failing_job: () => async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return failBefore(new Error("failed"));
  },
};

/** Tools that are tasks: at once, or on the last round. */
const taskTimes: Readonly<Record<string, number>> = {
  ...{ slow_compute: 0, failing_job: 0, confirm_delete: 0, multi_input: 0 },
  test_tool_with_task: 2_000,
};

const names = [...Object.keys(replies), ...Object.keys(longer)];
const offered: Record<string, OfferedAgent> = Object.fromEntries(
  names.map((tool) => [
    tool,
    {
      description: tool,
      input: anything,
      toPrompt: (input: JsonValue) => JSON.stringify(input),
      taskAfterMs: taskTimes[tool] ?? 3_600_000,
    },
  ]),
);

const schema2020 = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
  allOf: [{ anyOf: [{ required: ["name"] }, { required: ["address"] }] }],
  if: { required: ["name"] },
  // oxlint-disable-next-line unicorn/no-thenable -- A keyword of the schema.
  then: { properties: { name: { minLength: 1 } } },
  else: { required: ["address"] },
  additionalProperties: false,
};
offered["json_schema_2020_12_tool"] = {
  description: "A schema",
  input: schema2020,
  toPrompt: (input) => JSON.stringify(input),
};

const agents = [...names, "json_schema_2020_12_tool"].map((tool) =>
  agentOf(tool, longer[tool] ?? [replies[tool] ?? text("ok")]),
);
const host = createHost({ agents, repository: memoryRepository() });
const server = mcpServer(host, {
  agents: offered,
  authenticate: () => ({ principal: "conformance" }),
  limits: { sessionsPerPrincipal: Infinity, connectionsPerPrincipal: 1_000 },
  errorDetails: true,
});
const http = createServer(toNodeListener(server.handle));
http.listen(0, "127.0.0.1", () => {
  const { port } = http.address() as AddressInfo;
  console.log(JSON.stringify({ listening: { port } }));
});
