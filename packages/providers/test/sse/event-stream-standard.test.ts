import { describe, expect, test } from "vitest";
import { fixturesNote, readFixture } from "../fixtures-harness/fixtures.ts";
import { byteByByte, decodeAll } from "./decode.ts";

interface StandardCase {
  readonly name: string;
  readonly bytes_b64: string;
  readonly events: readonly {
    readonly event: string;
    readonly data: string;
    readonly lastEventId: string;
  }[];
}

const cases = (readFixture("sse/wpt-event-stream.json") ?? []) as unknown as StandardCase[];

describe.skipIf(cases.length === 0)(`the cases of web-platform-tests${fixturesNote}`, () => {
  test.each(cases)("$name", ({ bytes_b64: base64, events }) => {
    const bytes = Buffer.from(base64, "base64");

    const whole = decodeAll([bytes]);
    const inBytes = decodeAll(byteByByte(bytes));

    const expected = events.map(({ event, data, lastEventId }) => ({
      event,
      data,
      id: lastEventId,
      isBare: false,
    }));
    expect(whole).toEqual(expected);
    expect(inBytes).toEqual(expected);
  });
});
