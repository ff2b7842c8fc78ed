/** Entries come back as written, including content this version of the program does not know. */
import assert from "node:assert/strict";
import type { SessionRepository } from "@capstan/log";
import { begin, beginOwned, head, owned, posted, unknownEntry } from "./samples.ts";
import type { StoreCase, StoreTheme } from "./store-case.ts";

/** Returns the JSON of the only entry after the first, without its seq. */
async function storedJson(repository: SessionRepository): Promise<string> {
  const { entries } = await repository.read("s", { after: 1 });
  assert.equal(entries.length, 1);
  return JSON.stringify(entries[0], (key, value: unknown) => (key === "seq" ? undefined : value));
}

/** Appends and posts, as a store may have two code paths. */
function comesBack(value: unknown): StoreCase {
  return async ({ repository, other }) => {
    const entry = unknownEntry({ value });
    const { lease } = await beginOwned(repository, "s");
    await repository.append("s", [entry], { lease, head: head() });
    assert.equal(await storedJson(other), JSON.stringify(entry));

    await repository.delete("s");
    await begin(repository, "s");
    await repository.post("s", entry);
    assert.equal(await storedJson(other), JSON.stringify(entry));
  };
}

export const content: StoreTheme = {
  name: "content of entries",
  cases: {
    "an entry of an unknown type comes back as it was": comesBack({ of: "tomorrow" }),

    "unknown fields of a known entry come back as they were": async ({ repository }) => {
      const { lease } = await beginOwned(repository, "s");
      const entry = { ...owned("e"), added: { in: "a newer version" }, alsoAdded: [1, null] };

      await repository.append("s", [entry], { lease, head: head() });

      assert.equal(await storedJson(repository), JSON.stringify(entry));
    },

    "keys keep their order": comesBack({ z: 1, a: { y: 2, b: 3 }, "10": 0, m: [{ d: 1, c: 2 }] }),

    "text of any script comes back, and so do emoji": comesBack({
      "ключ 🔑": "naïve Ωμέγα 漢字 العربية 👩‍👩‍👧 \u{1F9FF} e\u0301",
    }),

    "control characters come back, NUL among them": comesBack({
      "\u0000": "a\u0000b",
      text: "\u0001\u001f\u007f\r\n\t\b\f\v",
    }),

    "line separators of JavaScript come back": comesBack("one\u2028two\u2029three\u0085four\uFEFF"),

    "quotes, backslashes and what looks like an escape come back": comesBack(
      "\"'`\\ \\u0000 \\n ${x} %s $1 ; -- </script>",
    ),

    "numbers come back exactly": comesBack([
      0, 1e21, -1e21, 1.5e300, 5e-324, 0.1, -1e-7, 9007199254740991, -9007199254740991, 1e-10,
    ]),

    "null, false and empty values come back": comesBack({
      null: null,
      nested: [null, [null], { a: null }],
      no: false,
      text: "",
      list: [],
      object: {},
    }),

    "text that contains a whole JSON document stays text": comesBack('{"type":"input","v":1}'),

    "an entry of a megabyte comes back": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s");
      const text = "0123456789abcde\n".repeat(65_536);

      const appended = unknownEntry({ id: "appended", text });
      await repository.append("s", [appended], { lease, head: head() });
      await repository.post("s", posted("posted", text));

      const { entries } = await other.read("s", { after: 1 });
      assert.ok(entries[0]?.["text"] === text, "the appended text differs from what was written");
      const { message } = posted("posted", text) as unknown as { readonly message: unknown };
      assert.deepEqual(entries[1]?.["message"], message);
    },

    "a head comes back as it was written": async ({ repository, other, now }) => {
      const full = head({
        status: "awaiting_tool_execution",
        agent: "héros 🙂",
        principal: "o'brien",
        title: 'A "title"\nof two lines',
        seen: 1,
        wakeAt: now() + 1_000_000,
        updatedAt: 1_700_000_000_123,
      });

      await begin(repository, "s", full);

      assert.deepEqual((await other.acquire("s", "first", 1_000))?.head, full);
      assert.deepEqual((await other.list()).sessions, [{ id: "s", head: full, lastSeq: 1 }]);
    },

    "fields missing in a head stay missing": async ({ repository, other }) => {
      const { lease } = await beginOwned(repository, "s", {
        title: "x",
        principal: "p",
        wakeAt: 1,
      });

      await repository.append("s", [], { lease, head: head() });

      assert.deepEqual((await other.list()).sessions, [{ id: "s", head: head(), lastSeq: 1 }]);
    },
  },
};
