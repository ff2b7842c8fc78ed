import { ProviderError } from "@capstan/kernel";
import { expect, test } from "vitest";
import type { SseEvent } from "../../src/sse/sse-decoder.ts";
import { SseDecoder } from "../../src/sse/sse-decoder.ts";
import { byteByByte, bytesOf, decodeAll, decodeText } from "./decode.ts";

test("an event is pushed with the bytes that end it, not later", () => {
  const decoder = new SseDecoder();
  const events: SseEvent[] = [];

  decoder.take(bytesOf("event: ping\ndata: {}\n"), events);
  const before = events.length;
  decoder.take(bytesOf("\n"), events);

  expect(before).toBe(0);
  expect(events).toEqual([{ event: "ping", data: "{}", id: "", isBare: false }]);
});

test("a carriage return ends an event at once, and a line feed after it is not a second end", () => {
  const decoder = new SseDecoder();
  const events: SseEvent[] = [];

  decoder.take(bytesOf("data: 1\r\r"), events);
  const atOnce = events.length;
  decoder.take(bytesOf("\ndata: 2\r"), events);
  decoder.take(bytesOf("\n\r\n"), events);

  expect(atOnce).toBe(1);
  expect(events.map(({ data }) => data)).toEqual(["1", "2"]);
});

test("an event that the end of the stream cuts off is dropped", () => {
  expect(decodeText("data: 1\n\ndata: 2\n")).toHaveLength(1);
  expect(decodeText("data: 1\n\ndata: 2")).toHaveLength(1);
});

test("comments alone are no events", () => {
  expect(decodeText(": OPENROUTER PROCESSING\n\n:\n\n")).toEqual([]);
});

test("bytes that are no UTF-8 become replacement characters, and the rest is read", () => {
  const bytes = Uint8Array.of(...bytesOf("data: a"), 0xff, 0xe2, 0x82, ...bytesOf("b\n\n"));

  const whole = decodeAll([bytes]);
  const inBytes = decodeAll(byteByByte(bytes));

  expect(whole.map(({ data }) => data)).toEqual(["a\ufffd\ufffdb"]);
  expect(inBytes).toEqual(whole);
});

test("JSON that stands in the stream without a field is told apart from events", () => {
  const events = decodeText(
    'data: {"text":"Hi"}\n\n{\n  "error": {\n    "code": 499,\n    "data": "x"\n  }\n}\n',
  );

  expect(events.map(({ isBare }) => isBare)).toEqual([false, true]);
  expect(JSON.parse(events[1]?.data ?? "")).toEqual({ error: { code: 499, data: "x" } });
});

test("bare JSON is found on one line, in a list, before other events and without a last line end", () => {
  const [first, second, third] = decodeText('{"error":1}\n\ndata: 2\n\n[{\n"error":3}]');

  expect(first).toMatchObject({ data: '{"error":1}', isBare: true });
  expect(second).toMatchObject({ data: "2", isBare: false });
  expect(third).toMatchObject({ data: '[{\n"error":3}]', isBare: true });
});

test("a line that is neither a field nor JSON is ignored", () => {
  expect(decodeText("[DONE]\n\nnonsense\nretry: 5\n\n")).toEqual([]);
});

test("an event that grows beyond the limit is an error, and those before it are not lost", () => {
  const decoder = new SseDecoder({ maxEventLength: 20 });
  const events: SseEvent[] = [];

  const grow = (): void => {
    decoder.take(bytesOf("data: 1\n\ndata: 0123456789"), events);
    decoder.take(bytesOf("0123456789"), events);
  };

  expect(grow).toThrow(ProviderError);
  expect(grow).toThrow(/exceeds 20 characters/);
  expect(events[0]?.data).toBe("1");
});

test.each(["data: 0123456789\n", "{\n", ": a comment that never ends "])(
  "many lines or one of %j without an end are an error too",
  (line) => {
    const chunks = Array.from({ length: 100 }, () => bytesOf(line));

    expect(() => decodeAll(chunks, { maxEventLength: 90 })).toThrow(/exceeds 90 characters/);
  },
);

test("a long line in many small pieces takes linear time", () => {
  const piece = bytesOf("0123456789".repeat(10));
  const chunks = [bytesOf("data: "), ...Array<Uint8Array>(100_000).fill(piece), bytesOf("\n\n")];

  const [event] = decodeAll(chunks);

  // Quadratic, this would take minutes and end in the timeout of the test.
  expect(event?.data).toHaveLength(10_000_000);
});
