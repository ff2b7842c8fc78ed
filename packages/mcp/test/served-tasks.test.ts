import { createAgent, defineTool, memoryRepository } from "@capstan/core";
import type { Agent } from "@capstan/core";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import type { ServedWorld } from "./served-world.ts";
import { servedWorld, textsOf } from "./served-world.ts";

const extension = "io.modelcontextprotocol/tasks";
const withTasks = { extensions: { [extension]: {} }, elicitation: { form: {} } };

interface Json {
  readonly [field: string]: unknown;
}

/** Sends a request of 2026-07-28, with the capabilities of a client that knows tasks. */
async function post(
  world: ServedWorld,
  method: string,
  params: Json,
  options: { readonly principal?: string; readonly capabilities?: Json } = {},
): Promise<{ readonly result?: Json; readonly error?: { readonly code: number } }> {
  const { principal = "ann", capabilities = withTasks } = options;
  const response = await fetch(world.url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${principal}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": String(params["name"] ?? params["taskId"]),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": capabilities,
        },
      },
    }),
  });
  return (await response.json()) as Awaited<ReturnType<typeof post>>;
}

/** Begins a task, and returns its id. */
async function begin(world: ServedWorld): Promise<string> {
  const { result } = await post(world, "tools/call", {
    name: "builder",
    arguments: { prompt: "go" },
  });
  expect(result).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
  return String(result?.["taskId"]);
}

/** Polls until the task has this status. */
async function reached(world: ServedWorld, taskId: string, status: string): Promise<Json> {
  for (;;) {
    const { result, error } = await post(world, "tasks/get", { taskId });
    if (error !== undefined) throw new Error(JSON.stringify(error));
    if (result?.["status"] === status) return result;
    expect(["working", "input_required"]).toContain(result?.["status"]);
  }
}

interface Built {
  readonly agent: Agent;
  readonly builds: string[];
  /** Lets builds end. */
  release(): void;
}

/** An agent with a tool that builds until it is released. */
function builder({ isApproved = false, hasModel = true } = {}): Built {
  const builds: string[] = [];
  const gate = Promise.withResolvers<void>();
  const build = defineTool({
    name: "build",
    description: "Builds",
    input: z.object({}),
    effect: "idempotent",
    needsApproval: isApproved,
    async execute(_input, { signal }) {
      builds.push("started");
      const stopped = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([gate.promise, stopped]);
      return "built";
    },
  });
  const script = [...(hasModel ? [callTool("build", {})] : []), say("All built.")];
  const agent = createAgent({ name: "builder", model: scriptedProvider(script), tools: [build] });
  return { agent, builds, release: () => gate.resolve() };
}

test("a call that takes longer is a task, whose result is that of the call", async () => {
  const { agent, release } = builder();
  await using world = await servedWorld([agent], { taskAfterMs: 0 });

  const taskId = await begin(world);
  const working = await reached(world, taskId, "working");
  release();
  const { result, createdAt, lastUpdatedAt } = await reached(world, taskId, "completed");

  expect(working).not.toHaveProperty("result");
  expect(textsOf(result as object)[0]).toBe("All built.");
  expect(Date.parse(String(lastUpdatedAt))).toBeGreaterThanOrEqual(Date.parse(String(createdAt)));
});

test("a task is answered by another process after the first has gone", async () => {
  const repository = memoryRepository();
  const before = builder();
  const first = await servedWorld([before.agent], { taskAfterMs: 0, repository });
  const taskId = await begin(first);
  await first[Symbol.asyncDispose]();

  const after = builder({ hasModel: false });
  after.release();
  await using second = await servedWorld([after.agent], { repository });
  const { result } = await reached(second, taskId, "completed");

  expect(textsOf(result as object)[0]).toBe("All built.");
});

test("a task asks, is answered once, and goes on", async () => {
  const { agent, builds, release } = builder({ isApproved: true });
  release();
  await using world = await servedWorld([agent], { taskAfterMs: 0 });
  const taskId = await begin(world);
  const { inputRequests } = await reached(world, taskId, "input_required");
  const [key = ""] = Object.keys(inputRequests as object);

  const inputResponses = { [key]: { action: "accept", content: { approve: true } } };
  const unknown = await post(world, "tasks/update", {
    taskId,
    inputResponses: { other: { action: "decline" } },
  });
  await post(world, "tasks/update", { taskId, inputResponses });
  await post(world, "tasks/update", { taskId, inputResponses });
  await reached(world, taskId, "completed");

  expect(unknown.error).toBeUndefined();
  expect(builds).toEqual(["started"]);
});

test("a client that cannot ask sees that the task waits, and for what", async () => {
  const { agent } = builder({ isApproved: true });
  await using world = await servedWorld([agent], { taskAfterMs: 0 });
  const taskId = await begin(world);
  await reached(world, taskId, "input_required");

  const { result } = await post(
    world,
    "tasks/get",
    { taskId },
    { capabilities: { extensions: { [extension]: {} } } },
  );

  expect(result).toMatchObject({ status: "working" });
  expect(result?.["statusMessage"]).toContain("Allow the agent to run build");
});

test("an agent may be a task at once, while the others are not", async () => {
  const { agent, release } = builder();
  release();
  const quick = createAgent({ name: "quick", model: scriptedProvider([say("now")]) });
  await using world = await servedWorld([agent, quick], {
    agents: {
      builder: { description: "Builds", taskAfterMs: 0 },
      quick: { description: "Answers" },
    },
    taskAfterMs: 3_600_000,
  });

  const taskId = await begin(world);
  const { result } = await post(world, "tools/call", {
    name: "quick",
    arguments: { prompt: "go" },
  });

  expect(textsOf(result as object)[0]).toBe("now");
  await reached(world, taskId, "completed");
});

test("a cancelled task stops its turn; cancelling again changes nothing", async () => {
  const { agent } = builder();
  await using world = await servedWorld([agent], { taskAfterMs: 0 });
  const taskId = await begin(world);

  const acknowledged = await post(world, "tasks/cancel", { taskId });
  await reached(world, taskId, "cancelled");
  const again = await post(world, "tasks/cancel", { taskId });

  expect(acknowledged.result).toMatchObject({ resultType: "complete" });
  expect(acknowledged.result).not.toHaveProperty("taskId");
  expect(again.error).toBeUndefined();
});

test("a task that is unknown, malformed or another principal's is not found", async () => {
  const { agent, release } = builder();
  await using world = await servedWorld([agent], { taskAfterMs: 0 });
  const taskId = await begin(world);
  const [session = ""] = taskId.split("~");

  const ids = [
    "",
    "x",
    "~",
    "no~such",
    `${session}~other`,
    `${taskId}~`,
    5,
    null,
    "~".repeat(9_999),
  ];
  const wrong = await Promise.all(
    ids
      .flatMap((id) =>
        ["tasks/get", "tasks/update", "tasks/cancel"].map((method) => ({ id, method })),
      )
      .map(({ id, method }) => post(world, method, { taskId: id, inputResponses: {} })),
  );
  const theirs = await post(world, "tasks/get", { taskId }, { principal: "bob" });
  const cancelled = await post(world, "tasks/cancel", { taskId }, { principal: "bob" });
  release();

  expect(wrong.map(({ error }) => error?.code)).toEqual(wrong.map(() => -32_602));
  expect(theirs.error).toMatchObject({ code: -32_602, message: "Unknown task" });
  expect(cancelled.error).toEqual(theirs.error);
  await reached(world, taskId, "completed");
});

test("without the extension there are no tasks: the call waits, and their methods are refused", async () => {
  const { agent, release } = builder();
  release();
  await using world = await servedWorld([agent], { taskAfterMs: 0 });

  const call = { name: "builder", arguments: { prompt: "go" } };
  const { result } = await post(world, "tools/call", call, { capabilities: {} });
  const refused = await post(world, "tasks/get", { taskId: "x" }, { capabilities: {} });

  expect(textsOf(result as object)[0]).toBe("All built.");
  expect(refused.error?.code).toBe(-32_021);
});
