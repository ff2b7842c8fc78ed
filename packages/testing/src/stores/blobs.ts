/** Blobs: bytes next to the log. */
import assert from "node:assert/strict";
import type { ByteRange, SessionRepository } from "@capstan/log";
import { begin } from "./samples.ts";
import type { StoreTheme } from "./store-case.ts";

const digits = Uint8Array.from({ length: 10 }, (_, i) => i);

/** Returns a plain array of numbers: a store may return its own kind of `Uint8Array`. */
async function get(
  repository: SessionRepository,
  ref: string,
  range?: ByteRange,
): Promise<number[] | undefined> {
  const bytes = await repository.getBlob("s", ref, range);
  assert.ok(bytes === undefined || bytes instanceof Uint8Array);
  return bytes && [...bytes];
}

export const blobs: StoreTheme = {
  name: "blobs",
  cases: {
    "bytes come back as they were": async ({ repository, other }) => {
      await begin(repository, "s");
      const all = Uint8Array.from({ length: 256 }, (_, i) => i);

      const ref = await repository.putBlob("s", all);

      assert.deepEqual(await get(other, ref), [...all]);
    },

    "a range of the bytes can be read": async ({ repository }) => {
      await begin(repository, "s");
      const ref = await repository.putBlob("s", digits);

      assert.deepEqual(await get(repository, ref, { start: 2, end: 5 }), [2, 3, 4]);
      assert.deepEqual(await get(repository, ref, { start: 7 }), [7, 8, 9]);
      assert.deepEqual(await get(repository, ref, { start: 0, end: 1 }), [0]);
      assert.deepEqual(await get(repository, ref, { start: 4, end: 4 }), []);
    },

    "a range beyond the end ends there": async ({ repository }) => {
      await begin(repository, "s");
      const ref = await repository.putBlob("s", digits);

      assert.deepEqual(await get(repository, ref, { start: 8, end: 100 }), [8, 9]);
      assert.deepEqual(await get(repository, ref, { start: 100 }), []);
    },

    "an unknown ref has no bytes": async ({ repository }) => {
      await begin(repository, "s");
      await repository.putBlob("s", digits);

      assert.equal(await get(repository, "none"), undefined);
      assert.equal(await get(repository, "../s"), undefined);
    },

    "the same bytes have the same ref, other bytes another one": async ({ repository, other }) => {
      await begin(repository, "s");

      const refs = [
        await repository.putBlob("s", digits),
        await other.putBlob("s", digits.slice()),
        await repository.putBlob("s", digits.slice(0, 9)),
        await repository.putBlob("s", digits.toReversed()),
      ];

      assert.equal(refs[0], refs[1]);
      assert.equal(new Set(refs).size, 3);
    },

    "the same bytes have the same ref in another session, so that a copied entry names them":
      async ({ repository }) => {
        await begin(repository, "s");
        await begin(repository, "copy");
        await repository.putBlob("copy", Uint8Array.of(1));

        const ref = await repository.putBlob("s", digits);

        assert.equal(await repository.putBlob("copy", digits), ref);
      },

    "a blob belongs to its session and to no other": async ({ repository, other }) => {
      await begin(repository, "s");
      await begin(repository, "stranger");

      const ref = await repository.putBlob("stranger", digits);

      assert.equal(await get(repository, ref), undefined);
      assert.equal(await get(other, ref), undefined);
    },

    "the blobs of a deleted session are gone, also when its id is used again": async ({
      repository,
      other,
    }) => {
      await begin(repository, "s");
      const ref = await repository.putBlob("s", digits);

      await repository.delete("s");
      const gone = await get(other, ref);
      await begin(repository, "s");

      assert.deepEqual([gone, await get(other, ref)], [undefined, undefined]);
    },

    "a blob of a deleted session still exists in another session that has it": async ({
      repository,
    }) => {
      await begin(repository, "s");
      await begin(repository, "twin");
      const ref = await repository.putBlob("s", digits);
      await repository.putBlob("twin", digits);

      await repository.delete("twin");

      assert.deepEqual(await get(repository, ref), [...digits]);
    },

    "an empty blob can be stored": async ({ repository }) => {
      await begin(repository, "s");

      const ref = await repository.putBlob("s", new Uint8Array(0));

      assert.deepEqual(await get(repository, ref), []);
    },

    "a megabyte comes back": async ({ repository, other }) => {
      await begin(repository, "s");
      const megabyte = Uint8Array.from({ length: 1 << 20 }, (_, i) => (i * 31 + (i >> 8)) & 255);

      const ref = await repository.putBlob("s", megabyte);

      const stored = await other.getBlob("s", ref);
      assert.ok(stored !== undefined && Buffer.compare(stored, megabyte) === 0);
      assert.deepEqual(await get(other, ref, { start: 1_000_000, end: 1_000_004 }), [
        ...megabyte.subarray(1_000_000, 1_000_004),
      ]);
    },

    "reusing a buffer does not change the stored bytes": async ({ repository }) => {
      await begin(repository, "s");
      const buffer = Buffer.from(digits);
      const ref = await repository.putBlob("s", buffer);

      buffer.fill(255);

      assert.deepEqual(await get(repository, ref), [...digits]);
    },
  },
};
