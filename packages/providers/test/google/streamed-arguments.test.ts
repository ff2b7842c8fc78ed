import { describe, expect, test } from "vitest";
import { StreamedArguments } from "../../src/protocols/google-generate/streamed-arguments.ts";

function build(...pieces: readonly object[]): unknown {
  const streamed = new StreamedArguments();
  for (const piece of pieces) streamed.take([piece as never]);
  return streamed.value;
}

describe("arguments that come value by value", () => {
  test("are put together at their places", () => {
    expect(
      build(
        { jsonPath: "$.items[0].name", stringValue: "ap", willContinue: true },
        { jsonPath: "$.items[0].name", stringValue: "ple" },
        { jsonPath: "$.items[0].price", numberValue: 0.5 },
        { jsonPath: "$.items[1]['a name']", boolValue: false },
        { jsonPath: "$.nothing", nullValue: null },
      ),
    ).toEqual({
      items: [{ name: "apple", price: 0.5 }, { "a name": false }],
      nothing: null,
    });
  });

  test("may have places that nothing came for", () => {
    expect(build({ jsonPath: "$.list[2]", numberValue: 1 })).toEqual({ list: [null, null, 1] });
  });

  test("may be named like what every object has", () => {
    const value = build({ jsonPath: "$.__proto__.x", numberValue: 1 }) as object;

    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  test.each(["", "name", "$", "$[0]", "$.a[x]", "$.a[4000000000]", "$..a"])(
    "at the place %j are an error of the protocol",
    (jsonPath) => {
      expect(() => build({ jsonPath, numberValue: 1 })).toThrow(
        expect.objectContaining({ code: "protocol" }),
      );
    },
  );
});
