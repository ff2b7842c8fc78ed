/** URLs of several databases. */
import { databaseOf, postgres } from "@capstan/stores/postgres";
import { expect, test } from "vitest";
import { failureOf } from "./failure-of.ts";

const refused: readonly (readonly [what: string, urls: readonly string[], why: string])[] = [
  ["no URL", [], "There is no database: pass at least one URL"],
  ["an empty URL", ["postgres://h/a", ""], "Missing URL of a PostgreSQL database, number 2 of 2"],
  ["a word", ["postgres://h/a", "sessions"], "Invalid URL of a PostgreSQL database, number 2 of 2"],
  ["a URL without a protocol", ["h:5432/b", "postgres://h/a"], "number 1 of 2"],
  ["a URL of something else", ["postgres://h/a", "https://h/b"], "number 2 of 2"],
  ["several hosts in one URL", ["postgres://h/a", "postgres://h:1,i:2/b"], "with one host"],
  ["a URL twice", ["postgres://h/a", "postgres://h/b", "postgres://h/a"], "given twice"],
  [
    "another user",
    ["postgres://h/a", "postgres://user:secret@h/a"],
    "The database h/a is given twice",
  ],
  ["another protocol", ["postgres://h/a", "postgresql://h/a"], "given twice"],
  ["the default port", ["postgres://h/a", "postgres://h:5432/a"], "given twice"],
  ["a host in capitals", ["postgres://h/a", "postgres://H/a"], "given twice"],
  ["options", ["postgres://h/a", "postgres://h/a?sslmode=require"], "given twice"],
  ["the name of the user as the default", ["postgres://me@h/me", "postgres://me@h"], "given twice"],
];

test.each(refused)(
  "a list is refused at once, without a password, for %s",
  async (_, urls, why) => {
    const failures = [
      await failureOf(() => postgres(urls)),
      await failureOf(() => databaseOf(urls, "s")),
    ];

    const error = { code: "unavailable", message: expect.stringContaining(why) };
    expect(failures).toMatchObject([error, error]);
    expect(String(failures)).not.toContain("secret");
  },
);

test("databases of one server, and of one name on several, are accepted", () => {
  const urls = ["postgres://h/a", "postgres://h/b", "postgres://h:6000/a", "postgres://i/a"];

  expect(() => postgres(urls)).not.toThrow();
});

test("a URL for listening is refused with several databases", async () => {
  const directUrl = "postgres://h/a";

  const failure = await failureOf(() =>
    postgres(["postgres://h/a", "postgres://h/b"], { directUrl }),
  );

  expect(failure).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("directUrl"),
  });
});
