/** Frames out of pieces of any size: the same frames, and work that grows with the text alone. */
import { assert, asyncProperty, nat, uniqueArray } from "fast-check";
import { expect, test, vi } from "vitest";
import { readFrames } from "../src/stream/read-frames.ts";

function bodyOf(pieces: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return ReadableStream.from(pieces.map((piece) => encoder.encode(piece)));
}

const dataIn = async (pieces: readonly string[]): Promise<readonly string[]> => {
  const frames = readFrames(bodyOf(pieces), new AbortController().signal, () => {});
  return (await Array.fromAsync(frames)).map(({ data }) => data);
};

test("frames are the same, wherever the text is cut into pieces", async () => {
  const text =
    ":\n\nid: 1.1\ndata: one\n\ndata: two\n\n:\n\n:\n\nid: 2.1\ndata: three\n\ndata: cut";
  const cuts = uniqueArray(nat(text.length), { maxLength: text.length });

  await assert(
    asyncProperty(cuts, async (places) => {
      const ends = [0, ...places.toSorted((a, b) => a - b), text.length];
      const pieces = ends.slice(1).map((end, at) => text.slice(ends[at], end));
      expect(await dataIn(pieces)).toEqual(["one", "two", "three"]);
    }),
  );
});

test("each piece of a large frame is looked at once", async () => {
  const count = 500;
  const piece = "x".repeat(1_000);
  const searched = countSearches();

  const [data] = await dataIn(["data: ", ...Array.from({ length: count }, () => piece), "\n\n"]);
  vi.restoreAllMocks();

  expect(data).toHaveLength(count * piece.length);
  expect(searched.chars).toBeLessThan(4 * count * piece.length);
});

/** How many characters are looked through from now on. */
function countSearches(): { readonly chars: number } {
  const searched = { chars: 0 };
  const { indexOf, split } = String.prototype;
  vi.spyOn(String.prototype, "indexOf").mockImplementation(function (this: string, ...args) {
    searched.chars += this.length - (args[1] ?? 0);
    return indexOf.apply(this, args);
  });
  vi.spyOn(String.prototype, "split").mockImplementation(function (
    this: string,
    ...args: Parameters<typeof split>
  ) {
    searched.chars += this.length;
    return split.apply(this, args);
  });
  return searched;
}
