/** Results of servers: text, media, links, structure, errors, progress. */
import { callTool, say } from "@capstan/testing";
import { expect, test } from "vitest";
import type { WireAnswer } from "./wire-server.ts";
import { declared, legacyServer, modernServer, textResult } from "./wire-server.ts";
import { lastResult, world } from "./world.ts";

const script = [callTool("srv__show", {}), say("Done")];

/** The message with the result of one call that the server answers like this. */
async function resultOf(answer: WireAnswer): Promise<unknown> {
  await using server = await modernServer([declared("show")], ({ method }) =>
    method === "tools/call" ? answer : undefined,
  );
  await using here = await world({ script, server: { url: server.url } });
  await here.session.send("Show").response;
  return here.session.messages[2];
}

const content = (...blocks: readonly object[]): WireAnswer => ({
  result: { resultType: "complete", content: blocks },
});
const pixel = "R0lGODlhAQABAAAAACw=";

test.each([
  [
    "texts",
    [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    "a\nb",
  ],
  ["nothing", [], "(no output)"],
  [
    "a link to a resource",
    [
      {
        type: "resource_link",
        uri: "file:///a.md",
        name: "a.md",
        description: "Notes",
        mimeType: "text/markdown",
      },
    ],
    "Resource file:///a.md: a.md, Notes, text/markdown",
  ],
  [
    "an embedded text",
    [{ type: "resource", resource: { uri: "file:///a.md", text: "Hello" } }],
    "Resource file:///a.md:\nHello",
  ],
])("%s", async (_, blocks, expected) => {
  expect(await resultOf(content(...blocks))).toMatchObject({ content: expected, isError: false });
});

test("images, audio and files are parts", async () => {
  const result = await resultOf(
    content(
      { type: "image", mimeType: "image/gif", data: pixel },
      { type: "audio", mimeType: "audio/wav", data: "AAAA" },
      {
        type: "resource",
        resource: { uri: "file:///x/plan.pdf", mimeType: "application/pdf", blob: "AAAA" },
      },
    ),
  );

  expect(result).toMatchObject({
    content: [
      { type: "image", mediaType: "image/gif", data: pixel },
      // The model of this session takes no audio.
      { type: "text", text: expect.stringContaining("audio/wav") },
      { type: "text", text: "Resource file:///x/plan.pdf:" },
      { type: "document", mediaType: "application/pdf", data: "AAAA", name: "plan.pdf" },
    ],
  });
});

test("structured content is for user interfaces, and for the model if there is no text", async () => {
  const structuredContent = { sum: 5 };

  expect(await resultOf(textResult("five", { structuredContent }))).toMatchObject({
    content: "five",
    details: { structuredContent },
  });
  const bare = { result: { resultType: "complete", content: [], structuredContent: [1, 2] } };
  expect(await resultOf(bare)).toMatchObject({
    content: "[1,2]",
    details: { structuredContent: [1, 2] },
  });
});

test("output that does not fit its schema is shown all the same: the call has had its effect", async () => {
  const outputSchema = {
    type: "object",
    properties: { sum: { type: "number" } },
    required: ["sum"],
  };
  await using server = await modernServer([declared("show", { outputSchema })], ({ method }) =>
    method === "tools/call" ? textResult("odd", { structuredContent: { sum: "x" } }) : undefined,
  );
  await using here = await world({ script, server: { url: server.url } });

  await here.session.send("Show").response;

  expect(lastResult(here)).toBe("odd");
});

test("a result that the server marks as an error is one", async () => {
  expect(await resultOf(textResult("No such city", { isError: true }))).toMatchObject({
    content: "No such city",
    isError: true,
  });
});

test.each([
  ["an unknown kind", { result: { resultType: "surprise", content: [] } }, /refused the call/],
  ["no result type", { result: { content: [] } }, /refused the call/],
  [
    "content that is no list",
    { result: { resultType: "complete", content: "x" } },
    /refused the call/,
  ],
] as const)("a result of %s is an error result", async (_, answer, text) => {
  expect(await resultOf(answer)).toMatchObject({
    isError: true,
    content: expect.stringMatching(text),
  });
});

test("a long output is shortened like that of every tool", async () => {
  const message = (await resultOf(textResult("x".repeat(300_000)))) as { content: string };

  expect(message.content.length).toBeLessThan(100_000);
  expect(message).toMatchObject({ kept: { chars: 300_000 } });
});

test("progress of a call is shown while it runs", async () => {
  await using server = await modernServer([declared("show")], ({ method, params }) => {
    if (method !== "tools/call") return undefined;
    const { progressToken } = params["_meta"] as { progressToken: number };
    const progress = { jsonrpc: "2.0", method: "notifications/progress" };
    return {
      result: { resultType: "complete", content: [] },
      events: [
        { ...progress, params: { progressToken, progress: 1, total: 2, message: "Half\u202e" } },
        { ...progress, params: { progressToken, progress: 2 } },
      ],
    };
  });
  await using here = await world({ script, server: { url: server.url } });
  const shown: string[] = [];
  here.session.subscribe((event) => {
    if (event.type === "tool_execution_delta") shown.push(event.delta);
  });

  await here.session.send("Show").response;

  expect(shown).toEqual(["1/2 Half\n", "2\n"]);
});

test("an abort tells an older server that the call is cancelled", async () => {
  const { promise: called, resolve: onCall } = Promise.withResolvers<void>();
  await using server = await legacyServer([declared("show")], ({ method }) => {
    if (method !== "tools/call") return undefined;
    onCall();
    return "say nothing";
  });
  await using here = await world({ script, server: { url: server.url, mode: "legacy" } });
  const turn = here.session.send("Show");
  await called;

  await here.session.abort();
  await turn.response;

  await expect.poll(() => server.named("notifications/cancelled").length).toBe(1);
});

test("a call that takes longer than its limit ends, and the server hears of it", async () => {
  await using server = await legacyServer([declared("show"), declared("other")], ({ method }) =>
    method === "tools/call" ? "say nothing" : undefined,
  );
  const limits = { timeoutMs: 60_000, tools: { show: { timeoutMs: 20 } } };
  await using here = await world({
    script,
    server: { url: server.url, mode: "legacy", ...limits },
  });

  await here.session.send("Show").response;

  expect(lastResult(here)).toMatch(/20 ms/);
  expect((await here.mcp.tools()).map(({ timeoutMs }) => timeoutMs)).toEqual([60_000, 20]);
  await expect.poll(() => server.named("notifications/cancelled").length).toBe(1);
});
