/** Plays a recorded reply: whole, as the network cut it, or cut anywhere. */
import type { FixtureReply } from "./fixtures.ts";

type Chunks = readonly Uint8Array[];

export function inOnePiece({ body }: FixtureReply): Chunks {
  return [body];
}

/** As it was recorded, where that is known. */
export function asRecorded({ body, chunkLengths }: FixtureReply): Chunks {
  return chunkLengths === undefined ? [body] : cutAt(body, sums(chunkLengths));
}

/** At random places, the same for the same seed: inside of characters, line ends and names. */
export function cutAnywhere({ body }: FixtureReply, seed: number): Chunks {
  const random = randomNumbers(seed);
  const count = 1 + Math.floor(random() * Math.min(60, body.length));
  const places = Array.from({ length: count }, () => Math.floor(random() * (body.length + 1)));
  return cutAt(body, places);
}

/** In pieces of this many bytes. */
export function inPiecesOf({ body }: FixtureReply, size: number): Chunks {
  const count = Math.ceil(body.length / size);
  return cutAt(
    body,
    Array.from({ length: count }, (_, index) => (index + 1) * size),
  );
}

/** A `fetch` that answers everything with this reply, and tells what it was asked. */
export function replayFetch(
  reply: FixtureReply,
  chunks: Chunks,
  onRequest: (url: string, init: RequestInit) => void = () => {},
): typeof fetch {
  return async (url, init = {}) => {
    onRequest(url instanceof Request ? url.url : url.toString(), init);
    const contentType = reply.isStream ? "text/event-stream" : "application/json";
    // A copy each: a reader may keep its piece, and the body is read again.
    const body = ReadableStream.from(chunks.map((chunk) => Uint8Array.from(chunk)));
    return new Response(body, { status: reply.status, headers: { "content-type": contentType } });
  };
}

function cutAt(body: Uint8Array, places: readonly number[]): Chunks {
  const cuts = [0, ...places.filter((place) => place < body.length), body.length];
  const sorted = cuts.toSorted((a, b) => a - b);
  return sorted.slice(1).map((end, index) => body.subarray(sorted[index], end));
}

function sums(lengths: readonly number[]): readonly number[] {
  let sum = 0;
  return lengths.map((length) => (sum += length));
}

/** Mulberry32: small, and good enough to choose places with. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
