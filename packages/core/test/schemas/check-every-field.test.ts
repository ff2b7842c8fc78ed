import * as schemas from "../../src/schemas.ts";
import type { z } from "zod";
import { expect, test } from "vitest";
import { bodySamples, eventSamples } from "./event-samples.ts";
import { missingFields, undefinedFields, whole, wrongFields } from "./sample.ts";
import type { Sample } from "./sample.ts";
import { samples } from "./samples.ts";

type Name = keyof typeof samples;

/** The members of a union are tried through the union as well. */
const members: readonly (readonly [union: string, schema: z.ZodType, names: readonly Name[]])[] = [
  ["UserPart", schemas.UserPartSchema, ["TextPart", "ImagePart", "DocumentPart"]],
  ["ToolContentPart", schemas.ToolContentPartSchema, ["TextPart", "ImagePart", "DocumentPart"]],
  [
    "AssistantPart",
    schemas.AssistantPartSchema,
    ["TextPart", "ThinkingPart", "RefusalPart", "ToolCallPart", "NativePart"],
  ],
  [
    "ChatMessage",
    schemas.ChatMessageSchema,
    ["SystemMessage", "UserMessage", "AssistantMessage", "ToolMessage", "CustomMessage"],
  ],
];

const all: readonly (readonly [name: string, sample: Sample])[] = [
  ...Object.entries(samples),
  ...members.flatMap(([union, schema, names]) =>
    names.map((name) => [`${union} ${name}`, { ...samples[name], schema }] as const),
  ),
  ...Object.entries(bodySamples).map(([type, body]) => [`body of ${type}`, body] as const),
  ...Object.entries(eventSamples),
];

test("there is a sample of every schema, or it has tests of its own", () => {
  const sampled = [...Object.keys(samples), ...members.map(([union]) => union)];
  const others = ["Answer", "JsonValue", "ToolContent", "ToolOutput", "TurnEvent", "TurnEventBody"];

  const names = [...sampled, ...others].map((name) => `${name}Schema`);

  expect(Object.keys(schemas).toSorted()).toEqual(names.toSorted());
});

test.each(all)(
  "%s with all fields, and with the required ones only, is taken as it is",
  (_, it) => {
    expect(it.schema.parse(whole(it))).toStrictEqual(whole(it));
    expect(it.schema.parse(it.required)).toStrictEqual(it.required);
  },
);

test.each(all.flatMap(([name, it]) => wrongFields(name, it)))(
  "$name: $field of another type is refused, and the place is named",
  ({ schema, value, field }) => {
    const issues = schema.safeParse(value).error?.issues ?? [];

    expect(issues.map((issue) => issue.path[0])).toEqual([field]);
  },
);

test.each(all.flatMap(([name, it]) => missingFields(name, it)))(
  "$name without $field is refused, and the place is named",
  ({ schema, value, field }) => {
    const issues = schema.safeParse(value).error?.issues ?? [];

    expect(issues.map((issue) => issue.path[0])).toEqual([field]);
  },
);

test.each(all.flatMap(([name, it]) => undefinedFields(name, it)))(
  "$name: an undefined $field is not an absent one",
  ({ schema, value, field }) => {
    const issues = schema.safeParse(value).error?.issues ?? [];

    expect(issues.map((issue) => issue.path[0])).toEqual([field]);
  },
);

test.each([
  ["UserMessage", "source"],
  ["PendingCall", "kind"],
  ["TurnResponse", "status"],
  ["SessionSnapshot", "status"],
  ["SessionSnapshot", "version"],
] as const)("%s: a %s that is not on the list is refused", (name, field) => {
  const value = { ...whole(samples[name]), [field]: "nonsense" };

  expect(samples[name].schema.safeParse(value).error?.issues[0]?.path).toEqual([field]);
});

test.each([
  ["AssistantMessage", "stopReason"],
  ["TurnResponse", "finishReason"],
  ["SerializedError", "code"],
  ["SessionSnapshot", "provider"],
  ["StoredEntry", "type"],
] as const)("%s: a %s that nobody has heard of is taken", (name, field) => {
  const value = { ...whole(samples[name]), [field]: "something-new" };

  expect(samples[name].schema.parse(value)).toStrictEqual(value);
});
