import { runInNewContext } from "node:vm";
import { ProviderError, TurnError, serializeError } from "@capstan/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";

test("an error is written down with its name and message, without its stack", () => {
  expect(serializeError(new RangeError("too far"))).toStrictEqual({
    name: "RangeError",
    message: "too far",
  });
});

test("the code of an error goes with it", () => {
  const cause = new Error("socket closed");

  expect(serializeError(new ProviderError("network", "cut", { cause }))).toStrictEqual({
    name: "ProviderError",
    message: "cut",
    code: "network",
  });
  expect(serializeError(new TurnError("journal_failed", "disk full", { cause }))).toStrictEqual({
    name: "TurnError",
    message: "disk full",
    code: "journal_failed",
  });
});

test("a code of the operating system goes with it, a number does not", () => {
  const system = Object.assign(new Error("no such file"), { code: "ENOENT" });

  expect(serializeError(system)).toMatchObject({ code: "ENOENT" });
  expect(serializeError(new DOMException("stop", "AbortError"))).toStrictEqual({
    name: "AbortError",
    message: "stop",
  });
});

test("the part that a vendor rejected goes with its error, also with that of another copy of this package", () => {
  const rejected = { messageId: "m1", part: 2 };
  const own = new ProviderError("invalid_request", "bad image", { rejected });
  const copied = Object.assign(new Error("bad image"), { name: "ProviderError", rejected });
  const other = Object.assign(new Error("bad image"), { rejected });

  expect(serializeError(own)).toMatchObject({ rejected });
  expect(serializeError(copied)).toMatchObject({ rejected });
  expect(serializeError(other)).not.toHaveProperty("rejected");
});

test("an error of another realm is an error too", () => {
  const foreign: unknown = runInNewContext("new RangeError('far away')");

  expect(serializeError(foreign)).toStrictEqual({ name: "RangeError", message: "far away" });
});

const circular: Record<string, unknown> = {};
circular["self"] = circular;

test.each<readonly [unknown, string]>([
  ["a plain text", "a plain text"],
  ["", ""],
  [42, "42"],
  [null, "null"],
  [undefined, "undefined"],
  [{ reason: "odd" }, '{"reason":"odd"}'],
  [Symbol("odd"), "Symbol(odd)"],
])("%s that was thrown is an error with that message", (thrown, message) => {
  expect(serializeError(thrown)).toStrictEqual({ name: "Error", message });
});

test.each<readonly [string, unknown]>([
  ["refers to itself", circular],
  ["is a bigint", 1n],
  ["has no prototype and throws when read", new Proxy({}, { get: throws, ownKeys: throws })],
])("a value that %s can be written down too", (_, thrown) => {
  const { name, message } = serializeError(thrown);

  expect(name).toBe("Error");
  expect(message).not.toBe("");
});

test.each<readonly [string, unknown, string]>([
  ["null", null, "an error without a message"],
  ["undefined", undefined, "an error without a message"],
  ["a number", 42, "42"],
  ["a list", ["a", { b: 1 }], '["a",{"b":1}]'],
  ["an object", { detail: "odd" }, '{"detail":"odd"}'],
  ["a bigint", 1n, "a value that cannot be shown"],
])("a message that is %s becomes a text", (_, message, written) => {
  const thrown = Object.assign(new RangeError("API failed"), { message });

  expect(serializeError(thrown)).toStrictEqual({ name: "RangeError", message: written });
});

test("fields that throw when they are read, or are of other types, are left out", () => {
  const thrown = Object.assign(new Error("odd"), { code: { a: 1 } });
  Object.defineProperty(thrown, "name", { get: throws });

  expect(serializeError(thrown)).toStrictEqual({ name: "Error", message: "odd" });
});

test("a long message is cut, and says so", () => {
  const { message } = serializeError(new Error("x".repeat(100_000)));

  expect(message).toHaveLength(16_384 + "… (83616 more characters)".length);
  expect(message.endsWith("… (83616 more characters)")).toBe(true);
});

test("whatever was thrown, what is written down is JSON", () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (thrown) => {
      const serialized = serializeError(thrown);

      expect(JSON.parse(JSON.stringify(serialized))).toStrictEqual(serialized);
      expect(typeof serialized.message).toBe("string");
    }),
  );
});

function throws(): never {
  throw new Error("do not read this");
}
