/** Which of several databases has a session. */
import { databaseOf } from "@capstan/stores/postgres";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const hosts = fc.stringMatching(/^[a-z][a-z0-9-]{0,11}$/);
const urlLists = fc
  .uniqueArray(hosts, { minLength: 2, maxLength: 8 })
  .map((names) => names.map((name) => `postgres://${name}/sessions`));
const ids = fc.uniqueArray(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 50 });

test("a database that is added takes sessions from others, and no other session moves", () => {
  fc.assert(
    fc.property(urlLists, ids, ([added = "", ...before], given) => {
      fc.pre(before.length > 0);
      for (const id of given) {
        const place = databaseOf([...before, added], id);
        if (place !== added) expect(place).toBe(databaseOf(before, id));
      }
    }),
  );
});

test("the order of the URLs does not matter", () => {
  const orders = urlLists.chain((urls) =>
    fc.tuple(fc.constant(urls), fc.shuffledSubarray(urls, { minLength: urls.length })),
  );

  fc.assert(
    fc.property(orders, ids, ([urls, shuffled], given) => {
      for (const id of given) expect(databaseOf(shuffled, id)).toBe(databaseOf(urls, id));
    }),
  );
});

test("user and password do not matter", () => {
  fc.assert(
    fc.property(urlLists, ids, (urls, given) => {
      const renamed = urls.map((url) => url.replace("://", "://user:secret@"));
      for (const id of given) {
        expect(renamed.indexOf(databaseOf(renamed, id))).toBe(urls.indexOf(databaseOf(urls, id)));
      }
    }),
  );
});

test("databases get even shares of the ids", () => {
  const count = 4_000;

  fc.assert(
    fc.property(urlLists, fc.uuid(), (urls, prefix) => {
      const shares = new Map(urls.map((url) => [url, 0]));
      for (let n = 0; n < count; n += 1) {
        const url = databaseOf(urls, `${prefix}-${n}`);
        shares.set(url, (shares.get(url) ?? 0) + 1);
      }
      const even = count / urls.length;
      // Eight standard deviations of a fair choice.
      const slack = 8 * Math.sqrt(even);
      for (const share of shares.values()) expect(Math.abs(share - even)).toBeLessThan(slack);
    }),
    { numRuns: 10 },
  );
});
