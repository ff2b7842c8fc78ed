import type { AnyTool, JsonObject, Tool, ToolContext } from "@capstan/core";
import {
  bindTools,
  createScope,
  createSimpleTool,
  defineTool,
  dependency,
  doneTool,
  fail,
  ok,
  override,
} from "@capstan/core";
import type { RunTurnInput, ToolContract, ToolOutput, ToolYield } from "@capstan/kernel";
import { echoTool } from "@capstan/testing";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

const base = { name: "t", description: "A tool" } as const;
const weather = defineTool({
  ...base,
  input: z.object({ city: z.string(), days: z.number().default(3) }),
  execute: ({ city, days }) => `${city} ${days}`,
});
const remote = defineTool({ ...base, input: z.object({ question: z.string() }) });
const plain = defineTool({
  ...base,
  input: { type: "object", properties: { n: { type: "number" } } },
  execute: (input) => input["n"],
});

declare function takesTools(tools: readonly AnyTool[]): void;

test("execute gets the output of the schema; an approval rule gets what the model sent", () => {
  defineTool({
    ...base,
    input: z.object({
      day: z.string().transform((text) => new Date(text)),
      days: z.number().default(3),
      unit: z.enum(["C", "F"]).optional(),
    }),
    needsApproval(input) {
      expectTypeOf(input.day).toEqualTypeOf<string>();
      expectTypeOf(input.days).toEqualTypeOf<number | undefined>();
      return false;
    },
    execute(input) {
      expectTypeOf(input.day).toEqualTypeOf<Date>();
      expectTypeOf(input.days).toEqualTypeOf<number>();
      expectTypeOf(input.unit).toEqualTypeOf<"C" | "F" | undefined>();
      // @ts-expect-error -- the schema has no such field
      void input.town;
    },
  });
  expectTypeOf(weather.execute).parameter(0).toEqualTypeOf<{ city: string; days: number }>();
  expectTypeOf(weather).toExtend<Tool>();
});

test("a JSON Schema says nothing to the compiler: the input is some JSON object", () => {
  expectTypeOf(plain.execute).parameter(0).toEqualTypeOf<JsonObject>();
});

test("a tool keeps its name and the result of execute, so that a test can call it without a cast", () => {
  const named = { description: "A tool", input: z.object({ city: z.string() }) };
  const find = defineTool({ ...named, name: "find", execute: ({ city }) => ok("found", { city }) });
  const count = defineTool({ ...named, name: "count", execute: async () => 3 });
  const stream = defineTool({
    ...named,
    name: "stream",
    async *execute({ city }) {
      yield city;
      yield { type: "complete", output: city };
    },
  });
  const add = createSimpleTool({ ...named, name: "add" }, () => ({ output: "3" }));

  expectTypeOf(find.name).toEqualTypeOf<"find">();
  expectTypeOf(add.name).toEqualTypeOf<"add">();
  expectTypeOf(doneTool().name).toEqualTypeOf<"done">();
  expectTypeOf(doneTool({ name: "stop" }).name).toEqualTypeOf<"stop">();
  expectTypeOf(find.execute).returns.toEqualTypeOf<ToolOutput<{ city: string }>>();
  expectTypeOf(count.execute).returns.toEqualTypeOf<Promise<number>>();
  expectTypeOf(stream.execute).returns.toExtend<AsyncIterable<ToolYield>>();
  expectTypeOf(add.execute).returns.toEqualTypeOf<AsyncIterable<ToolYield>>();
  expectTypeOf(find.execute).parameter(0).toEqualTypeOf<{ city: string }>();
  // @ts-expect-error -- a client runs it
  expectTypeOf(remote.execute).toBeFunction();
});

test("a list of fields is no schema", () => {
  // @ts-expect-error -- it needs z.object around it
  defineTool({ ...base, input: { city: z.string() } });
  // @ts-expect-error -- likewise
  createSimpleTool({ ...base, input: { city: z.string() } }, () => ({ output: "" }));
  const schema: Readonly<Record<string, unknown>> = { type: "object" };
  defineTool({ ...base, input: schema });
  defineTool({ ...base, input: { type: "object", properties: { a: { type: "string" } } } });
});

test("a union, an intersection and a recursive schema are inferred", () => {
  const node = z.object({
    name: z.string(),
    get children() {
      return z.array(node);
    },
  });
  defineTool({
    ...base,
    input: node,
    execute: ({ children }) => {
      expectTypeOf(children[0]?.children[0]?.name).toEqualTypeOf<string | undefined>();
    },
  });
  defineTool({
    ...base,
    input: z.object({
      what: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("a"), n: z.number() }),
        z.object({ kind: z.literal("b") }),
      ]),
    }),
    execute: ({ what }) => {
      expectTypeOf(what.kind).toEqualTypeOf<"a" | "b">();
    },
  });
});

test("the context has the fields of the kernel's and gets dependencies by their type", () => {
  const Db = dependency("db", async () => ({ query: (sql: string) => [sql] }));
  defineTool({
    ...base,
    input: z.object({}),
    async execute(_, context) {
      expectTypeOf(context).toEqualTypeOf<ToolContext>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      const db = await context.get(Db);
      expectTypeOf(db.query("x")).toEqualTypeOf<string[]>();
    },
  });
  override(Db, () => ({ query: () => [] }));
  // @ts-expect-error -- the replacement must be of the same type
  override(Db, () => ({ ask: () => [] }));
});

test("lists of different tools need no cast", () => {
  const tools = [weather, remote, plain, echoTool(), doneTool()] satisfies readonly AnyTool[];
  takesTools(tools);
  takesTools([weather, remote]);
  takesTools([{ ...weather, name: "copy" }]);
  expectTypeOf(weather).toExtend<ToolContract>();
  expectTypeOf(tools).toExtend<RunTurnInput["tools"]>();
  expectTypeOf(bindTools(tools, createScope())).toEqualTypeOf<readonly ToolContract[]>();
});

test("execute may stream, and may return an envelope", () => {
  defineTool({
    ...base,
    input: z.object({ query: z.string() }),
    async *execute({ query }) {
      expectTypeOf(query).toEqualTypeOf<string>();
      yield { type: "delta", delta: query };
      yield { type: "complete", output: "found" };
    },
  });
  expectTypeOf(ok("fine", { n: 1 })).toEqualTypeOf<ToolOutput<{ n: number }>>();
  expectTypeOf(fail("bad")).toExtend<ToolOutput>();
});

test("a schema that cannot be shown to a model is refused", () => {
  defineTool({
    ...base,
    // @ts-expect-error -- a Standard Schema without JSON Schema
    input: { "~standard": { version: 1, vendor: "v", validate: (value: unknown) => ({ value }) } },
  });
  // @ts-expect-error -- there is no such option
  defineTool({ ...base, input: z.object({}), timeout: 5 });
});

test("the handler of a simple tool gets the output of the schema", () => {
  const add = createSimpleTool(
    { ...base, input: z.object({ a: z.coerce.number(), b: z.string().optional() }) },
    (id, params) => {
      expectTypeOf(id).toEqualTypeOf<string>();
      expectTypeOf(params).toEqualTypeOf<{ a: number; b?: string | undefined }>();
      return { output: "3" };
    },
  );
  expectTypeOf(add).toExtend<AnyTool>();
  // @ts-expect-error -- the output is a text or parts
  createSimpleTool({ ...base, input: z.object({}) }, () => ({ output: 3 }));
});

test("a malformed envelope is a type error; other objects are results", () => {
  const named = { name: "t", description: "A tool", input: z.object({}) };
  interface Forecast {
    readonly details: string;
    readonly high: number;
  }
  const forecast: Forecast = { details: "sunny", high: 20 };

  defineTool({ ...named, execute: () => forecast });
  defineTool({ ...named, execute: async () => ({ ok: true, rows: 3 }) });
  defineTool({ ...named, execute: () => ["a", "b"] });
  defineTool({ ...named, execute: async () => [{ rows: 3, at: new Date() }] });
  // @ts-expect-error -- JSON has no maps
  defineTool({ ...named, execute: () => new Map([["rows", 3]]) });
  // @ts-expect-error -- JSON has no sets
  defineTool({ ...named, execute: async () => new Set(["a"]) });
  // @ts-expect-error -- a function that was not called
  defineTool({ ...named, execute: () => () => "text" });
  // @ts-expect-error -- the message is misspelled
  defineTool({ ...named, execute: () => ({ ok: true, outputMesage: "m", details: 1 }) });
  // @ts-expect-error -- ok is missing
  defineTool({ ...named, execute: () => ({ outputMessage: "m", details: 1 }) });
  // @ts-expect-error -- the message is not a string
  defineTool({ ...named, execute: async () => ({ ok: true, outputMessage: 42 }) });
  defineTool({
    ...named,
    async *execute() {
      yield "text";
    },
  });
});
