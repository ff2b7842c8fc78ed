/** A server asks the user: the call is suspended, and any process repeats it with the answer. */
import { callTool, manualClock, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Answer, WireAnswer } from "./wire-server.ts";
import { declared, modernServer, textResult } from "./wire-server.ts";
import { lastResult, world } from "./world.ts";

const schema = {
  type: "object",
  properties: {
    account: { type: "string", enum: ["blue", "red"] },
    note: { type: "string", default: "none" },
  },
  required: ["account"],
};

function inputRequired(params: object, requestState = "opaque ä", key = "q"): WireAnswer {
  const inputRequests = { [key]: { method: "elicitation/create", params } };
  return { result: { resultType: "input_required", inputRequests, requestState } };
}

/** Asks once, then tells what it was answered. */
function asking(params: object): Answer {
  return ({ method, params: sent }) => {
    if (method !== "tools/call") return undefined;
    const { inputResponses } = sent;
    return inputResponses === undefined
      ? inputRequired(params)
      : textResult(JSON.stringify(inputResponses));
  };
}

const form = { mode: "form", message: "Which account?", requestedSchema: schema };
const tools = [declared("pay", { outputSchema: { type: "object" } })];
const script = [callTool("srv__pay", { amount: 5, to: { b: 1, a: 2 } }), say("Done")];

test("the form is the pending call, and another process repeats the same call with the answer", async () => {
  await using server = await modernServer(tools, asking(form));
  await using before = await world({ script, server: { url: server.url } });
  const { pendingToolCalls = [], status } = await before.session.send("Pay").response;
  const [call] = pendingToolCalls;
  expect(status).toBe("awaiting_tool_execution");
  expect(call).toMatchObject({
    kind: "execution",
    toolName: "srv__pay",
    input: { server: "srv", tool: "pay", mode: "form", message: "Which account?", schema },
  });
  await before[Symbol.asyncDispose]();

  const { repository } = before;
  const options = { script: script.slice(1), server: { url: server.url }, repository };
  await using after = await world(options);
  const answer = { toolCallId: call?.toolCallId ?? "", output: '{"account":"blue"}' };
  const { text } = await after.session.send([answer]).response;

  expect(text).toBe("Done");
  expect(lastResult(after)).toBe(
    '{"q":{"action":"accept","content":{"note":"none","account":"blue"}}}',
  );
  const [first, second] = server.named("tools/call").map(({ params }) => params);
  expect(JSON.stringify(second?.["arguments"])).toBe(JSON.stringify(first?.["arguments"]));
  expect(second).toMatchObject({ name: "pay", requestState: "opaque ä" });
});

test.each([
  ["a decline", { output: '{"action":"decline"}' }, { action: "decline" }],
  ["an error, as a closed form", { output: "Closed", isError: true }, { action: "cancel" }],
  [
    "the form of the protocol",
    { output: '{"action":"accept","content":{"account":"red"}}' },
    { action: "accept", content: { account: "red", note: "none" } },
  ],
  [
    "details of a page",
    { output: "see details", details: { account: "red", note: "x" } },
    { action: "accept", content: { account: "red", note: "x" } },
  ],
])("%s reaches the server as the protocol has it", async (_, given, expected) => {
  await using server = await modernServer(tools, asking(form));
  await using here = await world({ script, server: { url: server.url } });
  const { pendingToolCalls: [call] = [] } = await here.session.send("Pay").response;

  await here.session.send([{ toolCallId: call?.toolCallId ?? "", ...given }]).response;

  expect(JSON.parse(String(lastResult(here)))).toEqual({ q: expected });
});

test.each([
  ["does not fit the form", '{"account":"green"}', /account: /],
  ["is no JSON", "the blue one", /JSON object that fits/],
])("an answer that %s is asked for again, with the reason", async (_, output, problem) => {
  await using server = await modernServer(tools, asking(form));
  await using here = await world({ script, server: { url: server.url } });
  const { pendingToolCalls: [call] = [] } = await here.session.send("Pay").response;
  const toolCallId = call?.toolCallId ?? "";

  const again = await here.session.send([{ toolCallId, output }]).response;

  expect(again.pendingToolCalls?.[0]?.input).toMatchObject({
    message: "Which account?",
    problem: expect.stringMatching(problem),
  });
  expect(server.named("tools/call")).toHaveLength(1);
  const { text } = await here.session.send([{ toolCallId, output: '{"account":"red"}' }]).response;
  expect(text).toBe("Done");
});

test("a form of one text field takes the text alone", async () => {
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  await using server = await modernServer(tools, asking({ ...form, requestedSchema }));
  await using here = await world({ script, server: { url: server.url } });
  const { pendingToolCalls: [call] = [] } = await here.session.send("Pay").response;

  await here.session.send([{ toolCallId: call?.toolCallId ?? "", output: "Ada" }]).response;

  expect(lastResult(here)).toContain('{"name":"Ada"}');
});

test("several questions of one call wait together, and each answer goes to its own", async () => {
  const requests = {
    first: { method: "elicitation/create", params: form },
    second: {
      method: "elicitation/create",
      params: { mode: "url", message: "Log in", url: "https://bank.example/login" },
    },
  };
  await using server = await modernServer(tools, ({ method, params }) => {
    if (method !== "tools/call") return undefined;
    if (params["inputResponses"] !== undefined)
      return textResult(JSON.stringify(params["inputResponses"]));
    return { result: { resultType: "input_required", inputRequests: requests } };
  });
  await using here = await world({ script, server: { url: server.url } });
  const { pendingToolCalls = [] } = await here.session.send("Pay").response;
  expect(pendingToolCalls.map(({ input }) => input)).toMatchObject([
    { mode: "form" },
    { mode: "url", url: "https://bank.example/login" },
  ]);

  const [one, two] = pendingToolCalls.map(({ toolCallId }) => toolCallId);
  await here.session.send([
    { toolCallId: two ?? "", output: "done" },
    { toolCallId: one ?? "", output: '{"account":"red"}' },
  ]).response;

  expect(JSON.parse(String(lastResult(here)))).toEqual({
    first: { action: "accept", content: { account: "red", note: "none" } },
    second: { action: "accept" },
  });
});

test.each([
  [
    "an address that is not one of the web",
    { mode: "url", message: "", url: "javascript:alert(1)" },
    /not one of the web/,
  ],
  ["an unknown mode", { mode: "telepathy", message: "" }, /unknown mode "telepathy"/],
  ["a form without a schema", { mode: "form", message: "" }, /no schema/],
  [
    "a schema of megabytes",
    { ...form, requestedSchema: { enum: ["x".repeat(100_000)] } },
    /schema of 100013 characters/,
  ],
])("a question with %s ends the call with the reason", async (_, params, problem) => {
  await using server = await modernServer(tools, asking(params));
  await using here = await world({ script, server: { url: server.url } });

  await here.session.send("Pay").response;

  expect(lastResult(here)).toMatch(problem);
});

test.each([
  [
    "a hundred questions",
    {
      inputRequests: Object.fromEntries(
        Array.from({ length: 100 }, (_, n) => [n, { method: "elicitation/create", params: form }]),
      ),
    },
    /100 questions at once/,
  ],
  ["a state of a megabyte", { requestState: "x".repeat(1_000_000) }, /state is too large to keep/],
])("a server that asks with %s is given up at once", async (_, asked, problem) => {
  await using server = await modernServer(tools, ({ method }) =>
    method === "tools/call" ? { result: { resultType: "input_required", ...asked } } : undefined,
  );
  await using here = await world({ script, server: { url: server.url } });

  await here.session.send("Pay").response;

  expect(lastResult(here)).toMatch(problem);
});

test("a server that asks nothing and wants the call again gets it later, with its state", async () => {
  const clock = manualClock();
  await using server = await modernServer(tools, ({ method, params }) => {
    if (method !== "tools/call") return undefined;
    return params["requestState"] === "again"
      ? textResult("paid")
      : { result: { resultType: "input_required", requestState: "again" } };
  });
  await using here = await world({ script, clock, server: { url: server.url } });
  const { status } = await clock.runUntil(here.session.send("Pay").response);
  expect(status).toBe("awaiting_tool_execution");

  await clock.runUntil(
    new Promise<void>((resolve) => {
      here.session.subscribe(() => lastResult(here) === "paid" && resolve());
    }),
  );

  expect(server.named("tools/call")).toHaveLength(2);
});

test("texts in a form are cleaned of what readers do not see", async () => {
  const properties = {
    a: { type: "string", title: "Acc\u202eount", description: "Your\u200b account" },
  };
  const params = {
    mode: "form",
    message: "Wh\u0007ich?",
    requestedSchema: { type: "object", properties },
  };
  await using server = await modernServer(tools, asking(params));
  await using here = await world({ script, server: { url: server.url } });

  const { pendingToolCalls: [call] = [] } = await here.session.send("Pay").response;

  expect(call?.input).toMatchObject({
    message: "Which?",
    schema: { properties: { a: { title: "Account", description: "Your account" } } },
  });
});

test("a request for sampling ends the call: it is not supported", async () => {
  await using server = await modernServer(tools, ({ method }) =>
    method === "tools/call"
      ? {
          result: {
            resultType: "input_required",
            inputRequests: { m: { method: "sampling/createMessage", params: {} } },
          },
        }
      : undefined,
  );
  await using here = await world({ script, server: { url: server.url } });

  await here.session.send("Pay").response;

  expect(lastResult(here)).toMatch(/"sampling\/createMessage", which is not supported/);
});

test("a server that asks without end is given up", async () => {
  await using server = await modernServer(tools, ({ method }) =>
    method === "tools/call" ? inputRequired(form) : undefined,
  );
  await using here = await world({ script, server: { url: server.url } });
  const first = await here.session.send("Pay").response;
  let pending = first.pendingToolCalls ?? [];

  for (let round = 0; pending.length > 0; round += 1) {
    expect(round).toBeLessThan(30);
    const answers = pending.map(({ toolCallId }) => ({ toolCallId, output: '{"account":"red"}' }));
    ({ pendingToolCalls: pending = [] } = await here.session.send(answers).response);
  }

  expect(lastResult(here)).toMatch(/asked 25 times: the call is given up/);
});
