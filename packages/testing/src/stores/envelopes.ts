/** An unreadable entry is refused, and nothing of its append is written. */
import assert from "node:assert/strict";
import type { NewEntry, PostedEntry } from "@capstan/log";
import { failsWith } from "./fails-with.ts";
import { begin, beginOwned, head, owned, posted } from "./samples.ts";
import type { StoreCase, StoreTheme } from "./store-case.ts";
import { readIds } from "./walk.ts";

/** Replaces `fields` of a valid entry; an undefined field is absent, as in JSON. */
function corrupt(fields: Readonly<Record<string, unknown>>): PostedEntry {
  return { ...posted("corrupt"), ...fields };
}

function isRefused(entry: PostedEntry): StoreCase {
  return async ({ repository }) => {
    const { lease, lastSeq } = await beginOwned(repository, "s");
    const batch: NewEntry[] = [owned("before"), entry, owned("after")];
    const options = { lease, head: head({ title: "changed" }) };

    await failsWith("invalid_entry", () => repository.append("s", batch, options));
    await failsWith("invalid_entry", () => repository.post("s", entry));
    await failsWith("invalid_entry", () => repository.create("new", [entry], head()));

    assert.deepEqual(await readIds(repository, "s"), ["created"]);
    assert.deepEqual((await repository.list()).sessions, [{ id: "s", head: head(), lastSeq }]);
  };
}

export const envelopes: StoreTheme = {
  name: "corrupt entries",
  cases: {
    "an entry without a type is refused": isRefused(corrupt({ type: undefined })),
    "an entry whose type is not a string is refused": isRefused(corrupt({ type: 7 })),
    "an entry without an id is refused": isRefused(corrupt({ id: undefined })),
    "an entry whose id is not a string is refused": isRefused(corrupt({ id: null })),
    "an entry without a version is refused": isRefused(corrupt({ v: undefined })),
    "an entry whose version is not a number is refused": isRefused(corrupt({ v: "1" })),
    "an entry without a time is refused": isRefused(corrupt({ at: undefined })),
    "an entry whose time is not in JSON is refused": isRefused(corrupt({ at: Number.NaN })),
    // A request may contain it.
    "null is refused as an entry": isRefused(null as unknown as PostedEntry),

    "an append that repeats an id of the log is refused whole": async ({ repository }) => {
      const { lease } = await beginOwned(repository, "s");
      await repository.post("s", posted("p"));
      const options = { lease, head: head() };

      await failsWith("invalid_entry", () =>
        repository.append("s", [owned("new"), owned("created")], options),
      );
      await failsWith("invalid_entry", () =>
        repository.append("s", [owned("new"), owned("p")], options),
      );

      assert.deepEqual(await readIds(repository, "s"), ["created", "p"]);
    },

    "an append that has an id twice is refused whole": async ({ repository }) => {
      const { lease } = await beginOwned(repository, "s");
      const batch = [owned("a"), owned("b"), owned("a")];

      await failsWith("invalid_entry", () =>
        repository.append("s", batch, { lease, head: head() }),
      );

      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },

    "a session whose first entries share an id is not created": async ({ repository }) => {
      await failsWith("invalid_entry", () =>
        repository.create("s", [owned("a"), owned("a")], head()),
      );

      await begin(repository, "s");
      assert.deepEqual(await readIds(repository, "s"), ["created"]);
    },
  },
};
