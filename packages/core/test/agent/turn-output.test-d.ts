import { createAgent, createSession, execute, forkSession, restoreSession } from "@capstan/core";
import type { Agent, Session, SessionSnapshot, Turn, TypesOf } from "@capstan/core";
import type { JsonValue, Turn as AnyTurn, TurnResponse } from "@capstan/kernel";
import type { SessionEvent } from "@capstan/log";
import { scriptedProvider } from "@capstan/testing";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";

interface Colour {
  readonly name: "red" | "blue";
  readonly at: Date;
}

const model = scriptedProvider([]);
const output = z.object({ name: z.enum(["red", "blue"]), at: z.coerce.date() }).readonly();
const agent = createAgent({ model, output });
declare const state: SessionSnapshot;

test("an agent with a schema has what the schema gives as the output of its turns", () => {
  expectTypeOf<TypesOf<typeof agent>["output"]>().toEqualTypeOf<
    Readonly<{ name: "red" | "blue"; at: Date }>
  >();
  expectTypeOf(agent.runStream("Which?")).toExtend<AnyTurn<Colour, SessionEvent>>();
  expectTypeOf(agent.runTurn({ input: "Which?" }).response).toExtend<
    Promise<TurnResponse<Colour>>
  >();
});

test("so has a session of it, however its turns are started", () => {
  const session = createSession({ agent });

  expectTypeOf(session).toEqualTypeOf<Session<TypesOf<typeof agent>>>();
  expectTypeOf(session.send("Which?")).toExtend<AnyTurn<Colour, SessionEvent>>();
  expectTypeOf(session.turn({ input: "Which?" })).toExtend<AnyTurn<Colour, SessionEvent>>();
  expectTypeOf(session.runStream("Which?")).toExtend<AnyTurn<Colour, SessionEvent>>();
  expectTypeOf(session.continue()).toExtend<AnyTurn<Colour, SessionEvent>>();
  expectTypeOf(execute(session, "Which?")).toExtend<AnyTurn<Colour, SessionEvent>>();
  expectTypeOf(session.current).toExtend<AnyTurn<Colour, SessionEvent> | undefined>();
  expectTypeOf(forkSession(session)).toEqualTypeOf<Promise<typeof session>>();
  expectTypeOf(restoreSession({ agent, snapshot: state })).toEqualTypeOf<Promise<typeof session>>();
});

test("run gives the value of the schema, or the text if there is none", () => {
  const plain = createAgent({ model });

  expectTypeOf(agent.run("Which?")).toExtend<Promise<Colour>>();
  expectTypeOf(createSession({ agent }).run("Which?")).toExtend<Promise<Colour>>();
  expectTypeOf(plain.run("Which?")).toEqualTypeOf<Promise<string>>();
  expectTypeOf(createSession({ agent: plain }).run("Which?")).toEqualTypeOf<Promise<string>>();
  const any = createAgent({ model, output: z.any() });
  expectTypeOf(any.run("Which?")).toEqualTypeOf<Promise<any>>(); // eslint-disable-line typescript/no-explicit-any -- as the schema says
  const nothing = createAgent({ model, output: z.object({}).transform(() => undefined) });
  expectTypeOf(nothing.run("Which?")).toEqualTypeOf<Promise<undefined>>();
  expectTypeOf<Agent["run"]>().returns.toEqualTypeOf<Promise<unknown>>();
});

test("the answer under way is partial, and as the model writes it: nothing is transformed yet", () => {
  expectTypeOf(createSession({ agent }).send("Which?").partialOutput).toEqualTypeOf<
    AsyncIterable<{ readonly name?: string; readonly at?: JsonValue }>
  >();
  const nested = createAgent({
    model,
    output: z.object({ list: z.array(z.object({ n: z.literal(1), isOn: z.boolean() })) }),
  });
  expectTypeOf(nested.runStream("Which?").partialOutput).toEqualTypeOf<
    AsyncIterable<{
      readonly list?: readonly { readonly n?: number; readonly isOn?: boolean }[];
    }>
  >();
  const plain = createAgent({ model });
  expectTypeOf(plain.runStream("Which?").partialOutput).toEqualTypeOf<AsyncIterable<never>>();
  expectTypeOf<Turn["partialOutput"]>().toEqualTypeOf<AsyncIterable<unknown>>();
});

test("the output may be missing: a turn can end without an answer", () => {
  const turn = createSession({ agent }).send("Which?");

  expectTypeOf<Awaited<typeof turn.response>["output"]>().toExtend<Colour | undefined>();
  // @ts-expect-error -- nobody has looked whether there is one
  expectTypeOf<Awaited<typeof turn.response>["output"]>().toExtend<Colour>();
});

test("without a schema there is no output, and a schema is not that of another agent", () => {
  const plain = createAgent({ model });

  expectTypeOf<TypesOf<typeof plain>["output"]>().toEqualTypeOf<undefined>();
  expectTypeOf(createSession({ agent: plain }).send("Which?")).toExtend<
    AnyTurn<undefined, SessionEvent>
  >();
  expectTypeOf(createSession({ agent: plain }).send("Which?")).not.toExtend<
    AnyTurn<Colour, SessionEvent>
  >();
});
