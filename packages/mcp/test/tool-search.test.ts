/** Many tools: the model gets a search instead of their declarations, and everything else sees the tools that it calls. */
import type { ToolHooks } from "@capstan/core";
import { createAgent, createHost } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import type { SessionRepository } from "@capstan/log";
import { memoryRepository } from "@capstan/log";
import type { McpToolsOptions } from "@capstan/mcp";
import { mcpTools } from "@capstan/mcp";
import type { ScriptItem } from "@capstan/testing";
import { callTool, say, scriptedProvider } from "@capstan/testing";
import { expect, onTestFinished, test } from "vitest";
import type { Answer, WireServer } from "./wire-server.ts";
import { declared, modernServer, textResult } from "./wire-server.ts";

const amount = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
const tools = [
  declared("createIssue", { description: "Opens a ticket" }),
  declared("delete_issue", { description: "Removes a ticket", inputSchema: amount }),
  declared("list_users", { description: "Lists people who may create an issue" }),
  declared("weather", { description: "Tells the weather" }),
];

const many = Array.from({ length: 25 }, (_, index) =>
  declared(`tool${String(index).padStart(2, "0")}`),
);

const echo: Answer = ({ method, params }) =>
  method === "tools/call"
    ? textResult(`${String(params["name"])} ${JSON.stringify(params["arguments"])}`)
    : undefined;

interface Searching {
  readonly script: readonly ScriptItem[];
  readonly server: WireServer;
  readonly repository?: SessionRepository;
  readonly hooks?: ToolHooks;
  readonly contextWindow?: number;
  readonly options?: Partial<McpToolsOptions>;
}

/** An agent in a session with the id `s`; nothing is shared with another one but the store. */
async function searching({ script, server, repository, hooks, contextWindow, options }: Searching) {
  const store = repository ?? memoryRepository();
  const servers = { srv: { url: server.url } };
  const mcp = mcpTools({ servers, toolSearch: "always", ...options });
  const model = scriptedProvider(script, contextWindow === undefined ? {} : { contextWindow });
  const agent = createAgent({ model, toolSources: [mcp], ...(hooks && { hooks }) });
  const host = createHost({ agents: [agent], repository: store });
  const close = async (): Promise<void> => {
    await host.close();
    await mcp.close();
  };
  onTestFinished(close);
  const session = await host.session("s", { agent: "agent" });
  return { session, model, mcp, close, store };
}

function resultsOf({ messages }: { readonly messages: readonly { role: string }[] }) {
  return messages.flatMap((message) =>
    message.role === "tool" ? (message as { content?: unknown }).content : [],
  );
}

const search = (query: string, more: object = {}): ScriptItem =>
  callTool("mcp_search", { query, ...more });
const call = (name: string, input: JsonValue): ScriptItem =>
  callTool("mcp_call", { name, arguments: input });

test.each([
  ["auto", 128_000, many.map((tool) => `srv__${String(tool["name"])}`)],
  ["auto", 4_000, ["mcp_search", "mcp_call"]],
  ["always", 128_000, ["mcp_search", "mcp_call"]],
  ["never", 4_000, many.map((tool) => `srv__${String(tool["name"])}`)],
] as const)(
  "with %s and a window of %i tokens, the model gets these tools",
  async (toolSearch, contextWindow, names) => {
    await using server = await modernServer(many);
    const script = [say("Hi")];
    const { session, model } = await searching({
      ...{ script, server, contextWindow },
      options: { toolSearch },
    });
    await session.send("Go").response;

    expect(model.requests[0]?.tools.filter((name) => name !== "read_output")).toEqual(names);
  },
);

test("a few tools are declared, however small the window is: a search would be larger", async () => {
  await using server = await modernServer(tools);
  const options = { toolSearch: "auto", toolSearchShare: 0 } as const;
  const { session, model } = await searching({ script: [say("Hi")], server, options });
  await session.send("Go").response;

  expect(model.requests[0]?.tools).not.toContain("mcp_search");
});

test("the share of the window is an option", async () => {
  await using server = await modernServer(many);
  const options = { toolSearch: "auto", toolSearchShare: 0.0001 } as const;
  const { session, model } = await searching({ script: [say("Hi")], server, options });
  await session.send("Go").response;

  expect(model.requests[0]?.tools).toContain("mcp_search");
});

test("names count before descriptions, in a stable order, and schemas are shown", async () => {
  await using server = await modernServer(tools);
  const script = [search("create issue"), search("ticket", { limit: 1 }), search(""), say("ok")];
  const { session } = await searching({ script, server });
  await session.send("Go").response;

  const [first, second, all] = resultsOf(session).map(String);
  expect(first?.match(/^srv__\w+/gm)).toEqual([
    "srv__createIssue",
    "srv__delete_issue",
    "srv__list_users",
  ]);
  expect(first).toContain(`Input schema: ${JSON.stringify(amount)}`);
  expect(second).toMatch(/^srv__createIssue: Opens a ticket\n.*\n\nAlso: srv__delete_issue$/s);
  expect(all).toBe("Tools: srv__createIssue, srv__delete_issue, srv__list_users, srv__weather");
});

test("a search without a match lists the names", async () => {
  await using server = await modernServer(tools);
  const { session } = await searching({ script: [search("xyz"), say("ok")], server });
  await session.send("Go").response;

  expect(resultsOf(session)[0]).toMatch(/^No tool fits "xyz"\.\nTools: srv__createIssue, /);
});

test("a found tool is called, and hooks and events have its name, its input and its digest", async () => {
  await using server = await modernServer(tools, echo);
  const seen: unknown[] = [];
  const hooks: ToolHooks = {
    before: ({ toolName, input }) => {
      seen.push([toolName, input, mcp.digestOf(toolName)?.length]);
    },
  };
  const script = [search("weather"), call("srv__weather", { city: "Oslo" }), say("ok")];
  const { session, mcp } = await searching({ script, server, hooks });
  const ended: string[] = [];
  for await (const event of session.send("Go")) {
    if (event.type === "tool_execution_end") ended.push(event.toolName);
  }

  expect(seen[1]).toEqual(["srv__weather", { city: "Oslo" }, expect.any(Number)]);
  expect(ended).toEqual(["mcp_search", "srv__weather"]);
  expect(resultsOf(session)[1]).toBe('weather {"city":"Oslo"}');
});

test("declarations and earlier messages stay byte for byte as they were", async () => {
  await using server = await modernServer(tools, echo);
  const script = [
    search("weather"),
    call("srv__weather", {}),
    say("ok"),
    search("issue"),
    say("x"),
  ];
  const { session, model, store } = await searching({ script, server });
  await session.send("Go").response;
  await session.send("And now").response;

  const { requests } = model;
  expect(new Set(requests.map(({ tools: names }) => names.join())).size).toBe(1);
  for (const [index, { messages }] of requests.slice(1).entries()) {
    const before = requests[index]?.messages ?? [];
    expect(JSON.stringify(messages.slice(0, before.length))).toBe(JSON.stringify(before));
  }
  const { entries } = await store.read("s");
  expect(entries.filter(({ type }) => type === "prompt")).toHaveLength(1);
});

test("what was found stays found in another process", async () => {
  await using server = await modernServer(tools, echo);
  const before = await searching({ script: [search("weather"), say("ok")], server });
  await before.session.send("Go").response;
  await before.close();
  const { store: repository } = before;
  const script = [call("srv__weather", { city: "Rome" }), say("ok")];
  const { session, model } = await searching({ script, server, repository });
  await session.send("And in Rome?").response;

  expect(JSON.stringify(model.requests[0]?.messages)).toContain("srv__weather: Tells the weather");
  expect(resultsOf(session)[1]).toBe('weather {"city":"Rome"}');
});

test("input that does not fit is an error with the schema, and an unknown name one with similar names", async () => {
  await using server = await modernServer(tools, echo);
  const script = [
    call("srv__delete_issue", { n: "one" }),
    call("srv__remove_issue", {}),
    callTool("mcp_call", { name: "srv__delete_issue" }),
    say("ok"),
  ];
  const { session } = await searching({ script, server });
  await session.send("Go").response;

  const [wrong, unknown, missing] = resultsOf(session);
  expect(wrong).toContain('"srv__delete_issue"');
  expect(wrong).toContain(`The input schema is ${JSON.stringify(amount)}`);
  expect(unknown).toMatch(/no tool "srv__remove_issue".*Similar: srv__.*mcp_search/s);
  expect(missing).toContain("arguments");
  expect(server.named("tools/call")).toEqual([]);
});

test("an approval shows the tool and its input, and runs exactly that", async () => {
  await using server = await modernServer(tools, echo);
  const script = [call("srv__weather", { city: "Oslo" }), say("ok")];
  const hooks: ToolHooks = { before: () => ({ action: "ask" }) };
  const { session } = await searching({ script, server, hooks });
  await session.send("Go").response;
  const [pending] = session.pendingToolCalls;

  expect(pending).toMatchObject({ toolName: "srv__weather", input: { city: "Oslo" } });
  await session.approve(pending ?? "").response;
  expect(resultsOf(session)).toEqual(['weather {"city":"Oslo"}']);
});

test("a server's form is asked for a tool that was found, and another process repeats the call with the answer", async () => {
  const requestedSchema = { type: "object", properties: { city: { type: "string" } } };
  const params = { mode: "form", message: "Where?", requestedSchema };
  await using server = await modernServer(tools, ({ method, params: sent }) => {
    if (method !== "tools/call") return undefined;
    const inputRequests = { q: { method: "elicitation/create", params } };
    return sent["inputResponses"] === undefined
      ? { result: { resultType: "input_required", inputRequests } }
      : textResult(JSON.stringify(sent["inputResponses"]));
  });
  const before = await searching({ script: [call("srv__weather", { days: 2 })], server });
  await before.session.send("Go").response;
  const [form] = before.session.pendingToolCalls;
  await before.close();
  const { store: repository } = before;
  // Also if this process declares the tools.
  const options = { toolSearch: "never" } as const;
  const { session } = await searching({ script: [say("ok")], server, repository, options });
  await session.send([{ toolCallId: form?.toolCallId ?? "", output: "Oslo" }]).response;

  expect(form).toMatchObject({ toolName: "srv__weather", input: { message: "Where?" } });
  expect(resultsOf(session)).toEqual(['{"q":{"action":"accept","content":{"city":"Oslo"}}}']);
  expect(server.named("tools/call").map(({ params: sent }) => sent["arguments"])).toEqual([
    { days: 2 },
    { days: 2 },
  ]);
});

const smallWindow = async (): Promise<number> => 4_000;

test("a search that is in use stays while the declarations get a little smaller", async () => {
  let listed = many;
  await using server = await modernServer([], ({ method }) =>
    method === "tools/list"
      ? { result: { resultType: "complete", tools: listed, ttlMs: 0, cacheScope: "private" } }
      : undefined,
  );
  await using mcp = mcpTools({ servers: { srv: { url: server.url } } });
  const sizes: number[] = [];
  for (const length of [25, 18, 5, 18]) {
    listed = many.slice(0, length);
    sizes.push((await mcp.tools({ contextWindow: smallWindow })).length);
  }

  expect(sizes).toEqual([2, 2, 5, 18]);
});

test.each([
  [{ toolSearch: "sometimes" }, /toolSearch must be "auto", "always" or "never"/],
  [{ toolSearchShare: 1.5 }, /toolSearchShare must be at most 1/],
  [{ toolSearchShare: -1 }, /toolSearchShare/],
])("%j is refused", (options, message) => {
  // Callers in JavaScript may pass anything.
  const given = { servers: {}, ...options } as unknown as McpToolsOptions;
  expect(() => mcpTools(given)).toThrow(message);
});
