/** Servers that forget, break or vanish: a call runs at most once, unless the user trusts the server's word. */
import { callTool, manualClock, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { Answer, WireAnswer } from "./wire-server.ts";
import { declared, legacyServer, modernServer, textResult } from "./wire-server.ts";
import { lastResult, world } from "./world.ts";

const script = [callTool("srv__pay", { n: 1 }), say("Done")];
const annotations = { idempotentHint: true };

/** Answers the first calls like this, and the others with "paid". */
function callsLike(...answers: readonly WireAnswer[]): Answer {
  let calls = 0;
  return ({ method }) => {
    if (method !== "tools/call") return undefined;
    const answer = answers[calls];
    calls += 1;
    return answer ?? textResult("paid");
  };
}

test.each([
  ["404, as the protocol demands", { status: 404, text: "Session not found" }],
  ["400 and words", { status: 400, text: "Bad Request: No valid session ID provided" }],
])(
  "a server that has forgotten the session (%s) gets a new one, and the call again",
  async (_, answer) => {
    await using server = await legacyServer([declared("pay")], callsLike(answer));
    await using here = await world({ script, server: { url: server.url, mode: "legacy" } });

    await here.session.send("Pay").response;

    expect(lastResult(here)).toBe("paid");
    expect(server.named("initialize")).toHaveLength(2);
    expect(server.named("tools/call").map(({ headers }) => headers["mcp-session-id"])).toEqual([
      "session-1",
      "session-2",
    ]);
  },
);

test("a server that forgets every session is given up after the second", async () => {
  const gone = { status: 404, text: "Session not found" };
  await using server = await legacyServer([declared("pay")], callsLike(gone, gone, gone));
  await using here = await world({ script, server: { url: server.url, mode: "legacy" } });

  await here.session.send("Pay").response;

  expect(lastResult(here)).toMatch(/"srv" is not available/);
  expect(server.named("tools/call")).toHaveLength(2);
});

test.each([
  ["the stream ends without a result", "cut the stream"],
  ["the connection breaks", "break the connection"],
  ["the gateway fails", { status: 502, text: "Bad gateway" }],
] as const)("if %s, the outcome is unknown and the call is not repeated", async (_, answer) => {
  await using server = await modernServer([declared("pay")], callsLike(answer));
  await using here = await world({ script, server: { url: server.url } });

  await here.session.send("Pay").response;

  expect(lastResult(here)).toMatch(/was lost during the call.*outcome of the call is unknown/);
  expect(here.session.messages[2]).toMatchObject({ isError: true });
  expect(server.named("tools/call")).toHaveLength(1);
});

test.each([
  ["its server", { trustAnnotations: true }],
  ["the tool", { tools: { pay: { trustAnnotations: true } } }],
])("a tool that claims to be idempotent is repeated if the user trusts %s", async (_, trust) => {
  await using server = await modernServer(
    [declared("pay", { annotations })],
    callsLike("break the connection"),
  );
  await using here = await world({ script, server: { url: server.url, ...trust } });

  await here.session.send("Pay").response;

  expect(lastResult(here)).toBe("paid");
  expect(server.named("tools/call")).toHaveLength(2);
});

test("the same claim counts for nothing without trust, or against the trust of one tool", async () => {
  const tools = [
    declared("pay", { annotations }),
    declared("look", { annotations: { readOnlyHint: true } }),
  ];
  await using server = await modernServer(tools);
  const effectsOf = async (options: object): Promise<unknown> => {
    await using here = await world({ script, server: { url: server.url, ...options } });
    return (await here.mcp.tools()).map(({ effect }) => effect);
  };

  expect(await effectsOf({})).toEqual(["at-most-once", "at-most-once"]);
  expect(await effectsOf({ trustAnnotations: true })).toEqual(["pure", "idempotent"]);
  const exception = { trustAnnotations: true, tools: { look: { trustAnnotations: false } } };
  expect(await effectsOf(exception)).toEqual(["at-most-once", "idempotent"]);
});

test("an error of the server is the result, and the connection stays", async () => {
  await using server = await modernServer(
    [declared("pay")],
    callsLike({ error: { code: -32_602, message: "No such account" } }),
  );
  const twice = [callTool("srv__pay"), callTool("srv__pay"), say("Done")];
  await using here = await world({ script: twice, server: { url: server.url } });

  await here.session.send("Pay").response;

  expect(here.session.messages[2]).toMatchObject({
    isError: true,
    content: 'The MCP server "srv" refused the call: No such account',
  });
  expect(lastResult(here)).toBe("paid");
  expect(server.named("server/discover")).toHaveLength(1);
});

test("the generation of a server is asked for once, also if its connection is lost", async () => {
  await using server = await modernServer([declared("pay")], callsLike("break the connection"));
  const twice = [callTool("srv__pay"), callTool("srv__pay"), say("Done")];
  await using here = await world({ script: twice, server: { url: server.url } });

  await here.session.send("Pay").response;

  expect(lastResult(here)).toBe("paid");
  expect(server.named("server/discover")).toHaveLength(1);
});

test("an answer that comes while the server is away is kept, and sent when it is back", async () => {
  let isAway = false;
  await using server = await modernServer([declared("pay")], ({ method, params }) => {
    if (isAway) return "break the connection";
    if (method !== "tools/call") return undefined;
    if (params["inputResponses"] !== undefined) return textResult("paid");
    const asked = {
      message: "Sure?",
      requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } },
    };
    return {
      result: {
        resultType: "input_required",
        inputRequests: { q: { method: "elicitation/create", params: asked } },
      },
    };
  });
  const before = await world({ script, server: { url: server.url } });
  const { pendingToolCalls: [call] = [] } = await before.session.send("Pay").response;
  await before[Symbol.asyncDispose]();
  isAway = true;

  const clock = manualClock();
  const { repository } = before;
  const options = { script: script.slice(1), clock, server: { url: server.url }, repository };
  await using after = await world(options);
  const turn = after.session.send([{ toolCallId: call?.toolCallId ?? "", output: '{"ok":true}' }]);
  const { status } = await clock.runUntil(turn.response);
  expect(status).toBe("awaiting_tool_execution");
  isAway = false;
  await clock.runUntil(
    new Promise<void>((resolve) => {
      after.session.subscribe(() => lastResult(after) === "paid" && resolve());
    }),
  );

  expect(server.named("tools/call").at(-1)?.params).toMatchObject({
    inputResponses: { q: { action: "accept", content: { ok: true } } },
  });
});
