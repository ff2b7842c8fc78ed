/**
 * Tools that a vendor runs by itself, on recorded replies: their calls and results are kept, go back to the vendor as they came, and are never run
 * here, though an agent has a tool of the same name.
 */
import { createAgent, createSession } from "@capstan/core";
import type { Model } from "@capstan/core";
import type { JsonValue } from "@capstan/kernel";
import { echoTool } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import type { FixtureCase, FixtureReply } from "./fixtures-harness/fixtures.ts";
import {
  fixtureCases,
  fixturesNote,
  hasFixtures,
  indexedCases,
} from "./fixtures-harness/fixtures.ts";
import { inOnePiece, replayFetch } from "./fixtures-harness/replay.ts";
import { vendors } from "../src/vendors.ts";

type Block = Readonly<Record<string, JsonValue>>;

const declared: Readonly<Record<string, Block>> = {
  "anthropic-messages": { type: "web_search_20250305", name: "hosted_search" },
  "openai-responses": { type: "web_search" },
  "google-generate": { googleSearch: {} },
};

/** Calls that another client would have to answer in a way of their own: they are kept, and cannot go back. */
const unanswerable = /^(local_shell|shell|apply_patch|computer)_call$|^mcp_approval_request$/;

const apis = Object.keys(declared);

const cases = apis
  .flatMap(fixtureCases)
  .filter(({ kind, replies: [reply] }) => kind === "single" && reply?.expect.ok === true)
  .filter(({ replies: [reply] }) => (reply?.expect.server_tools ?? []).length > 0)
  .filter(({ api, replies: [reply] }) => api !== "openai-responses" || isSealed(reply));

describe.runIf(hasFixtures)(`tools of vendors${fixturesNote}`, () => {
  test.each(cases.map((fixture) => [fixture.name, fixture] as const))(
    "%s keeps them, sends them back, and runs none",
    async (_, fixture) => {
      const { api, replies } = fixture;
      const [reply] = replies;
      const hosted = hostedIn(fixture);
      const bodies: Block[] = [];
      const trap = namesIn(fixture).map((name) => echoTool({ name }));
      const agent = createAgent({
        model: modelOf(fixture, bodies),
        tools: trap,
        maxSteps: 2,
        closing: false,
        compaction: false,
        providerOptions: { [providerIdOf(fixture)]: { tools: [declared[api] ?? {}] } },
      });
      const session = createSession({ agent });

      await session.send("Look it up").response;
      await session.send("And now?").response;

      expect(reply?.status).toBe(200);
      expect(bodies[0]?.["tools"]).toContainEqual(declared[api]);
      expect(trap.flatMap(({ started }) => started)).toEqual([]);
      expect(contentOf(bodies[1])).toEqual(expect.arrayContaining(hosted.filter(goesBack)));
      const kept = JSON.stringify(session.messages);
      expect(hosted.filter((block) => !kept.includes(JSON.stringify(block)))).toEqual([]);
    },
  );

  test("no recording of them in the index is left out, but failures and unsealed reasoning", () => {
    const read = new Map(apis.flatMap(fixtureCases).map((fixture) => [fixture.name, fixture]));
    const tested = new Set(cases.map(({ name }) => name));
    const left = apis
      .flatMap(indexedCases)
      .filter(({ kind, tags }) => kind === "single" && tags.some((tag) => tag.startsWith("srv:")))
      .map((entry) => entry.case)
      .filter((name) => !tested.has(name));

    const testable = left.filter((name) => {
      const [reply] = read.get(name)?.replies ?? [];
      return reply === undefined || (reply.expect.ok && isSealed(reply));
    });
    expect(testable).toEqual([]);
  });
});

/** What follows a reasoning goes back only with it, and that only sealed, as we ask for it: these clients let the vendor keep it. */
function isSealed(reply: FixtureReply | undefined): boolean {
  return (reply?.expect.reasoning_blocks ?? []).every(({ encrypted }) => encrypted !== null);
}

function goesBack(block: Block): boolean {
  return !unanswerable.test(typeOf(block));
}

function providerIdOf({ api, meta }: FixtureCase): string {
  if (api === "anthropic-messages") return "anthropic";
  return api === "google-generate" ? "google" : meta.provider === "xai" ? "xai" : "openai";
}

function modelOf(fixture: FixtureCase, bodies: Block[]): Model {
  const [reply] = fixture.replies;
  const vendor = vendors[providerIdOf(fixture)];
  if (reply === undefined || vendor === undefined) throw new Error("There is no such recording");
  const replay = replayFetch(reply, inOnePiece(reply), (_, { body }) => {
    bodies.push(JSON.parse(body as string) as Block);
  });
  return vendor(fixture.meta.model, { apiKey: "any", fetch: replay, stream: reply.isStream });
}

/** Names that a tool of ours may have. */
function namesIn({ replies: [reply] }: FixtureCase): string[] {
  const tools = (reply?.expect.server_tools ?? []) as readonly { type: string; name?: string }[];
  const names = tools.map(({ name, type }) => name ?? type.replace(/_call$/, ""));
  return [...new Set(names)].filter((name) => /^[\w-]{1,64}$/.test(name));
}

function typeOf({ type }: Block): string {
  return typeof type === "string" ? type : "";
}

/** All items or blocks of the conversation, as a request has them. */
function contentOf(body: Block | undefined): readonly Block[] {
  const { input, messages, contents } = body ?? {};
  if (input !== undefined) return input as readonly Block[];
  const turns = (messages ?? contents ?? []) as readonly Block[];
  return turns.flatMap(({ content, parts }) => (content ?? parts) as readonly Block[]);
}

/** What the vendor ran in a recorded reply, as it came. */
function hostedIn({ api, replies: [reply] }: FixtureCase): readonly Block[] {
  const text = new TextDecoder().decode(reply?.body);
  const frames =
    reply?.isStream === true
      ? text
          .split(/\r?\n/)
          .filter((line) => line.startsWith("data: {"))
          .map((line) => JSON.parse(line.slice(6)) as Block)
      : [JSON.parse(text) as Block];
  return frames.flatMap((frame) => blocksOf(api, frame)).filter((block) => isHosted(api, block));
}

function blocksOf(api: string, frame: Block): readonly Block[] {
  if (api === "google-generate") {
    const [candidate] = (frame["candidates"] ?? []) as readonly { content?: { parts?: Block[] } }[];
    return candidate?.content?.parts ?? [];
  }
  if (frame["type"] === "response.output_item.done") return [frame["item"] as Block];
  if (frame["type"] === "content_block_start") return [frame["content_block"] as Block];
  return (frame["output"] ?? frame["content"] ?? []) as readonly Block[];
}

function isHosted(api: string, block: Block): boolean {
  const type = typeOf(block);
  if (api === "google-generate") return Object.keys(block).some((key) => googleKinds.has(key));
  // Of a stream it has its input only later: the results name it.
  if (api === "anthropic-messages") return type.endsWith("_tool_result");
  return /_call$|^mcp_|_output$/.test(type) && !/^(function|custom_tool)_call/.test(type);
}

const googleKinds: ReadonlySet<string> = new Set([
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
]);
