import type { ChatMessage, PartReference } from "@capstan/kernel";
import { ProviderError } from "@capstan/kernel";
import { tinyImage } from "@capstan/testing";
import { describe, expect, test } from "vitest";
import { withRejectedPart } from "../../src/transport/rejected-part.ts";

const messages: readonly ChatMessage[] = [
  { role: "user", id: "u1", content: [tinyImage] },
  { role: "user", id: "u2", content: [{ type: "text", text: "Look" }, tinyImage] },
  { role: "user", id: "u3", content: "Well?" },
];
const second: PartReference = { messageId: "u2", part: 1 };

function rejectedBy(text: string, code: ProviderError["code"] = "invalid_request"): unknown {
  const wire = {
    path: "/",
    body: {},
    partAt: (path: string) =>
      path === "input[0].content[0]" ? { messageId: "u1", part: 0 } : undefined,
  };
  const failure = { status: 400, text, body: undefined };
  return withRejectedPart(new ProviderError(code, text), failure, {
    wire,
    messages: () => messages,
  }).rejected;
}

describe("the part that an error is about", () => {
  test("is the one at the place that it names", () => {
    expect(rejectedBy("Invalid 'input[0].content[0]'.")).toEqual({ messageId: "u1", part: 0 });
  });

  test.each([
    "You uploaded an unsupported image. Please make sure your image has of one of the following formats",
    "Could not process image",
    "Unable to process input image. Please retry or report",
    "The image data you provided does not represent a valid image.",
    '{"error":{"code":"image_parse_error","message":"no"}}',
    "The document has no pages.",
  ])(
    "is the newest picture or document, where it complains about one and names none: %s",
    (text) => {
      expect(rejectedBy(text)).toEqual(second);
    },
  );

  test.each([
    "Unknown parameter: 'file'.",
    "Invalid schema for function 'read_image': it is too deep",
    "messages.7.content.9: nothing is there",
  ])("is none, where it complains about something else: %s", (text) => {
    expect(rejectedBy(text)).toBeUndefined();
  });

  test("is none of a conversation, where the request was not the reason", () => {
    expect(rejectedBy("Could not process image", "overloaded")).toBeUndefined();
  });
});
