import type * as schemas from "@capstan/core/schemas";
import type { Answer, Approval, CallAnswer } from "@capstan/core";
import type {
  AgentEventBody,
  AssistantMessage,
  AssistantPart,
  ChatMessage,
  JsonValue,
  PendingCall,
  SerializedError,
  ToolContent,
  ToolContentPart,
  ToolOutput,
  TurnResponse,
  Usage,
  UserPart,
} from "@capstan/kernel";
import type { SessionEvent, StoredEntry } from "@capstan/log";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { fieldsOf, tableOf } from "../../src/schemas/exact-fields.ts";
import { unionOf } from "../../src/schemas/union-of.ts";
import type { SessionSnapshot } from "../../src/session/snapshot.ts";

type Schemas = typeof schemas;
type Parsed<Name extends keyof Schemas> = z.output<Schemas[Name]>;

test("what a schema gives is the type that the rest of the program knows", () => {
  expectTypeOf<Parsed<"JsonValueSchema">>().toEqualTypeOf<JsonValue>();
  expectTypeOf<Parsed<"SerializedErrorSchema">>().toEqualTypeOf<SerializedError>();
  expectTypeOf<Parsed<"UsageSchema">>().toEqualTypeOf<Usage>();
  expectTypeOf<Parsed<"UserPartSchema">>().toEqualTypeOf<UserPart>();
  expectTypeOf<Parsed<"AssistantPartSchema">>().toEqualTypeOf<AssistantPart>();
  expectTypeOf<Parsed<"ToolContentPartSchema">>().toEqualTypeOf<ToolContentPart>();
  expectTypeOf<Parsed<"ToolContentSchema">>().toEqualTypeOf<ToolContent>();
  expectTypeOf<Parsed<"AssistantMessageSchema">>().toEqualTypeOf<AssistantMessage>();
  expectTypeOf<Parsed<"ChatMessageSchema">>().toEqualTypeOf<ChatMessage>();
  expectTypeOf<Parsed<"PendingCallSchema">>().toEqualTypeOf<PendingCall>();
  expectTypeOf<Parsed<"TurnEventSchema">>().toEqualTypeOf<SessionEvent>();
  expectTypeOf<Parsed<"TurnEventBodySchema">>().toEqualTypeOf<AgentEventBody>();
  expectTypeOf<Parsed<"TurnResponseSchema">>().toEqualTypeOf<TurnResponse<JsonValue>>();
  expectTypeOf<Parsed<"ToolOutputSchema">>().toEqualTypeOf<ToolOutput>();
  expectTypeOf<Parsed<"CallAnswerSchema">>().toEqualTypeOf<CallAnswer>();
  expectTypeOf<Parsed<"ApprovalSchema">>().toEqualTypeOf<Approval>();
  expectTypeOf<Parsed<"AnswerSchema">>().toEqualTypeOf<Answer>();
  expectTypeOf<Parsed<"StoredEntrySchema">>().toEqualTypeOf<StoredEntry>();
  expectTypeOf<Parsed<"SessionSnapshotSchema">>().toEqualTypeOf<SessionSnapshot>();
});

interface Cup {
  readonly size: "small" | "large";
  readonly sugar?: number;
  readonly note?: unknown;
}

const size = z.enum(["small", "large"]);
const sugar = z.number().exactOptional();
const note = z.unknown().exactOptional();

test("the fields of a schema are exactly those of the type, or it does not compile", () => {
  expectTypeOf(z.object(fieldsOf<Cup>()({ size, sugar, note }))).toExtend<z.ZodType<Cup>>();

  // @ts-expect-error -- a required field was added to the type
  fieldsOf<Cup>()({ sugar, note });
  // @ts-expect-error -- an optional field was added to the type
  fieldsOf<Cup>()({ size, note });
  // @ts-expect-error -- an optional field of any type was added to the type
  fieldsOf<Cup>()({ size, sugar });
  // @ts-expect-error -- a field was taken from the type
  fieldsOf<Cup>()({ size, sugar, note, lid: z.boolean() });
  // @ts-expect-error -- an optional field was taken from the type
  fieldsOf<Cup>()({ size, sugar, note, lid: z.boolean().exactOptional() });
});

test("each field takes exactly what the type has there, or it does not compile", () => {
  // @ts-expect-error -- a word was added to the type
  fieldsOf<Cup>()({ size: z.enum(["small"]), sugar, note });
  // @ts-expect-error -- a word was taken from the type
  fieldsOf<Cup>()({ size: z.enum(["small", "large", "huge"]), sugar, note });
  // @ts-expect-error -- another type
  fieldsOf<Cup>()({ size, sugar: z.string().exactOptional(), note });
  // @ts-expect-error -- the field may be absent in the type
  fieldsOf<Cup>()({ size, sugar: z.number(), note });
  // @ts-expect-error -- the field is required in the type
  fieldsOf<Cup>()({ size: size.exactOptional(), sugar, note });
  // @ts-expect-error -- absent is not undefined
  fieldsOf<Cup>()({ size, sugar: z.number().optional(), note });
});

interface Table {
  readonly cup: Cup;
  readonly lid: { readonly isOn: boolean };
}

test("a table of schemas has exactly the names of the types, or it does not compile", () => {
  const cup = { size, sugar, note };
  tableOf<Table>()({ cup, lid: { isOn: z.boolean() } });

  // @ts-expect-error -- there is a new name
  tableOf<Table>()({ cup });
  // @ts-expect-error -- a field is missing
  tableOf<Table>()({ cup, lid: {} });
  // @ts-expect-error -- a field takes less than the type
  tableOf<Table>()({ cup, lid: { isOn: z.literal(true) } });
});

type Pet = { readonly type: "cat" } | { readonly type: "dog"; readonly name: string };

test("a union has a schema for each of its members, or it does not compile", () => {
  const cat = z.object({ type: z.literal("cat") });
  const dog = z.object({ type: z.literal("dog"), name: z.string() });
  expectTypeOf(unionOf<Pet, "type">("type", { cat, dog })).toEqualTypeOf<z.ZodType<Pet>>();

  // @ts-expect-error -- there is a new member
  unionOf<Pet, "type">("type", { cat });
  // @ts-expect-error -- the schema of another member
  unionOf<Pet, "type">("type", { cat, dog: cat });
});
