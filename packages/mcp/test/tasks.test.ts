/** Tasks of a server: followed in memory for a moment, then without a process, by whichever host. */
import { callTool, manualClock, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Answer, WireAnswer, WireServer } from "./wire-server.ts";
import { declared, modernServer } from "./wire-server.ts";
import { lastResult, world } from "./world.ts";

const tools = [declared("build")];
const script = [callTool("srv__build", { n: 1 }), say("Done")];
const task = {
  taskId: "t-1",
  createdAt: "2026-11-18T00:00:00Z",
  lastUpdatedAt: "2026-11-18T00:00:00Z",
  ttlMs: null,
};

/** A server that makes each call a task. `states` are what it reports, one for each poll; the last one stays. */
function taskServer(
  states: readonly object[],
  also: Answer = () => undefined,
): Promise<WireServer> {
  let polls = 0;
  return modernServer(tools, async (request) => {
    const other = await also(request);
    if (other !== undefined) return other;
    if (request.method === "tools/call") {
      return {
        result: { resultType: "task", ...task, status: "working", statusMessage: "Queued" },
      };
    }
    if (request.method === "tasks/update" || request.method === "tasks/cancel") {
      return { result: { resultType: "complete" } };
    }
    if (request.method !== "tasks/get") return undefined;
    const state = states[Math.min(polls, states.length - 1)];
    polls += 1;
    return { result: { resultType: "complete", ...task, ...state } };
  });
}

const working = { status: "working", statusMessage: "Compiling", pollIntervalMs: 2_000 };
const completed = {
  status: "completed",
  result: { content: [{ type: "text", text: "Built" }], structuredContent: { files: 3 } },
};

test("a short task is waited for within its call, and its state is shown as progress", async () => {
  await using server = await taskServer([working, completed]);
  const clock = manualClock();
  await using here = await world({ script, clock, server: { url: server.url } });
  const shown: string[] = [];

  const turn = here.session.send("Build");
  here.session.subscribe((event) => {
    if (event.type === "tool_execution_delta") shown.push(event.delta);
  });
  const { text } = await clock.runUntil(turn.response);

  expect(text).toBe("Done");
  expect(lastResult(here)).toBe("Built");
  expect(here.session.messages.find(({ role }) => role === "tool")).toMatchObject({
    details: { structuredContent: { files: 3 } },
  });
  expect(shown).toEqual(["Queued\n", "Compiling\n"]);
  expect(server.named("tasks/get")[0]?.headers["mcp-name"]).toBe("t-1");
});

test("a long task is suspended, and another host polls it when its time has come", async () => {
  await using server = await taskServer([working, working, working, completed]);
  const clock = manualClock();
  const first = await world({ script, clock, server: { url: server.url }, liveTaskMs: 0 });
  const { status, pendingToolCalls } = await clock.runUntil(first.session.send("Build").response);
  expect({ status, pendingToolCalls }).toEqual({
    status: "awaiting_tool_execution",
    pendingToolCalls: [],
  });
  expect(server.named("tasks/get")).toHaveLength(0);
  await first[Symbol.asyncDispose]();

  const { repository } = first;
  const options = {
    script: script.slice(1),
    clock,
    server: { url: server.url },
    repository,
    liveTaskMs: 0,
  };
  await using second = await world(options);
  const stop = new AbortController();
  const running = second.host.run({ signal: stop.signal });
  await clock.runUntil(until(second, "Built"));

  expect(server.named("tools/call")).toHaveLength(1);
  expect(server.named("tasks/get").length).toBe(4);
  stop.abort();
  await running;
});

test("a task that needs input asks the user, and goes on with the answer", async () => {
  const inputRequests = {
    name: {
      method: "elicitation/create",
      params: {
        message: "Name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      },
    },
  };
  const asking = { status: "input_required", inputRequests };
  await using server = await taskServer([asking, asking, completed]);
  const clock = manualClock();
  await using here = await world({ script, clock, server: { url: server.url } });
  const { pendingToolCalls: [call] = [] } = await clock.runUntil(
    here.session.send("Build").response,
  );
  expect(call?.input).toMatchObject({ tool: "build", message: "Name?" });

  const turn = here.session.send([{ toolCallId: call?.toolCallId ?? "", output: "Ada" }]);
  await clock.runUntil(until(here, "Built"));
  await turn.response;

  // The second poll still lists the question that was answered: the user is not asked again.
  expect(server.named("tasks/update").map(({ params }) => params)).toMatchObject([
    { taskId: "t-1", inputResponses: { name: { action: "accept", content: { name: "Ada" } } } },
  ]);
});

test.each([
  ["fails", { status: "failed", error: { code: -1, message: "Disk full" } }, /failed: Disk full/],
  ["is cancelled by the server", { status: "cancelled" }, /was cancelled by the server/],
  [
    "ends with an error result",
    { status: "completed", result: { content: [{ type: "text", text: "No" }], isError: true } },
    /^No$/,
  ],
])("a task that %s is an error result", async (_, state, text) => {
  await using server = await taskServer([state]);
  const clock = manualClock();
  await using here = await world({ script, clock, server: { url: server.url } });

  await clock.runUntil(here.session.send("Build").response);

  expect(lastResult(here)).toMatch(text);
  expect(here.session.messages[2]).toMatchObject({ isError: true });
});

test("a task that the server has forgotten ends with an unknown outcome", async () => {
  const gone: WireAnswer = { error: { code: -32_602, message: "Task not found" } };
  await using server = await taskServer([], ({ method }) =>
    method === "tasks/get" ? gone : undefined,
  );
  const clock = manualClock();
  await using here = await world({ script, clock, server: { url: server.url } });

  await clock.runUntil(here.session.send("Build").response);

  expect(lastResult(here)).toMatch(/Task not found.*outcome is unknown/);
});

test("a server that is away while a task is polled is asked again later", async () => {
  let polls = 0;
  await using server = await taskServer([completed], ({ method }) => {
    if (method !== "tasks/get") return undefined;
    polls += 1;
    return polls <= 2 ? "break the connection" : undefined;
  });
  const clock = manualClock();
  await using here = await world({ script, clock, server: { url: server.url } });

  const turn = here.session.send("Build");
  await clock.runUntil(until(here, "Built"));
  await turn.response;

  expect(server.named("tools/call")).toHaveLength(1);
});

test("an abort while the task is waited for cancels it at the server", async () => {
  await using server = await taskServer([working]);
  await using here = await world({ script, server: { url: server.url } });
  const turn = here.session.send("Build");
  await new Promise<void>((resolve) => {
    here.session.subscribe((event) => {
      if (event.type === "tool_execution_delta") resolve();
    });
  });

  await here.session.abort();
  await turn.response;

  await expect.poll(() => server.named("tasks/cancel").length).toBe(1);
});

/** Resolves once the last result is this. */
function until(here: Parameters<typeof lastResult>[0], content: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (lastResult(here) === content) resolve();
    };
    here.session.subscribe(look);
    look();
  });
}
