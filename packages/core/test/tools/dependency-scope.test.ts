import type { Dependency } from "@capstan/core";
import { DependencyError, createScope, dependency, override } from "@capstan/core";
import type { Logger } from "@capstan/kernel";
import { expect, test } from "vitest";

/** A dependency that writes down when it is made and disposed. */
function noted(
  name: string,
  diary: string[],
  uses: readonly Dependency<unknown>[] = [],
  scope: "turn" | "session" = "turn",
): Dependency<string> {
  return dependency(
    name,
    async (get) => {
      for (const used of uses) await get(used);
      diary.push(`+${name}`);
      return name;
    },
    { scope, dispose: () => void diary.push(`-${name}`) },
  );
}

test("a factory may be synchronous or not; it is called when its value is first asked for", async () => {
  const scope = createScope();
  let calls = 0;
  const Sync = dependency("sync", () => ({ made: ++calls }));
  const Async = dependency("async", async () => ({ made: ++calls }));

  expect(calls).toBe(0);
  expect(await scope.get(Async)).toEqual({ made: 1 });
  expect(await scope.get(Sync)).toEqual({ made: 2 });
  expect(await scope.get(Async)).toBe(await scope.get(Async));
});

test("two who ask at the same time get the same value", async () => {
  const scope = createScope();
  const Db = dependency("db", async () => ({}));

  const [one, other] = await Promise.all([scope.get(Db), scope.get(Db)]);

  expect(one).toBe(other);
});

test.each([
  [
    "throws",
    (): string => {
      throw new Error("refused");
    },
  ],
  ["rejects", () => Promise.reject(new Error("refused"))],
])("a factory that %s fails those who wait, and is tried again for the next", async (_, fail) => {
  const scope = createScope();
  const answers = [fail, () => "connected"];
  const Db = dependency("db", () => answers.shift()?.() ?? "spent");

  const first = await Promise.allSettled([scope.get(Db), scope.get(Db)]);

  expect(first).toMatchObject([
    { status: "rejected", reason: { message: "refused" } },
    { status: "rejected", reason: { message: "refused" } },
  ]);
  expect(await scope.get(Db)).toBe("connected");
});

test("what was made is disposed with the scope, the last one first, and only once", async () => {
  const diary: string[] = [];
  const scope = createScope();
  const Pool = noted("pool", diary);
  const Db = noted("db", diary, [Pool]);
  const Mail = noted("mail", diary);
  await Promise.all([scope.get(Db), scope.get(Mail)]);

  await Promise.all([scope.dispose(), scope.dispose()]);

  expect(diary.slice(0, 3)).toContain("+mail");
  expect(diary.slice(3)).toEqual(
    diary
      .slice(0, 3)
      .toReversed()
      .map((line) => line.replace("+", "-")),
  );
  expect(diary.indexOf("-db")).toBeLessThan(diary.indexOf("-pool"));
});

test("a value that is still being made when the scope ends is disposed, too", async () => {
  const disposed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const scope = createScope();
  const Slow = dependency("slow", () => promise, { dispose: (value) => void disposed.push(value) });
  const asked = scope.get(Slow);

  const ended = scope.dispose();
  resolve("late");
  await ended;

  expect(await asked).toBe("late");
  expect(disposed).toEqual(["late"]);
});

test("what a dispose throws is logged, and the others are disposed all the same", async () => {
  const lines: unknown[] = [];
  const logger: Logger = {
    log: (...line) => void lines.push(line),
    startSpan: () => ({ setAttributes() {}, end() {} }),
  };
  const diary: string[] = [];
  const session = createScope({ logger });
  const scope = createScope({ parent: session });
  const Bad = dependency("bad", () => 1, {
    dispose: () => Promise.reject(new RangeError("stuck")),
  });
  await scope.get(noted("good", diary));
  await scope.get(Bad);

  await scope.dispose();

  expect(diary).toEqual(["+good", "-good"]);
  const fields = { dependency: "bad", error: "RangeError" };
  expect(lines).toEqual([["error", 'Dispose of "bad" failed: stuck', fields]]);
});

test("a scope that has ended gives nothing any more", async () => {
  const scope = createScope();
  await scope.dispose();

  await expect(scope.get(dependency("db", () => 1))).rejects.toMatchObject({
    name: "DependencyError",
    code: "disposed",
    dependencyName: "db",
  });
});

test("a turn has its own values; those of the session are shared and outlive it", async () => {
  const diary: string[] = [];
  const session = createScope();
  const Db = noted("db", diary, [], "session");
  const Query = noted("query", diary, [Db]);

  for (const turn of [createScope({ parent: session }), createScope({ parent: session })]) {
    await turn.get(Query);
    await turn.dispose();
  }
  await session.dispose();

  expect(diary).toEqual(["+db", "+query", "-query", "+query", "-query", "-db"]);
});

test("a scope without a session keeps both kinds", async () => {
  const diary: string[] = [];
  const scope = createScope();

  await scope.get(noted("query", diary, [noted("db", diary, [], "session")]));
  await scope.dispose();

  expect(diary).toEqual(["+db", "+query", "-query", "-db"]);
});

test("what is kept for the session cannot use what ends with the turn", async () => {
  const scope = createScope();
  const Request = dependency("request", () => 1);
  const Cache = dependency("cache", (get) => get(Request), { scope: "session" });

  await expect(scope.get(Cache)).rejects.toThrow(
    '"cache" lives as long as the session and cannot use "request", which ends with the turn',
  );
});

test("a circle is an error that names the way", async () => {
  const scope = createScope();
  const A: Dependency<string> = dependency("a", (get) => get(B));
  const B: Dependency<string> = dependency("b", async (get) => get(C));
  const C: Dependency<string> = dependency("c", (get) => get(A));

  const error = await scope.get(A).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(DependencyError);
  expect(error).toMatchObject({
    code: "cycle",
    message: expect.stringContaining("Circular dependency: c → a → b → c."),
  });
});

test("a circle of one is an error", async () => {
  const A: Dependency<string> = dependency("a", (get) => get(A));

  await expect(createScope().get(A)).rejects.toThrow("Circular dependency: a → a");
});

test("a circle is found also where its members are asked for at the same time", async () => {
  const scope = createScope();
  const wait = Promise.resolve();
  const A: Dependency<string> = dependency("a", async (get) => (await wait, get(B)));
  const B: Dependency<string> = dependency("b", async (get) => (await wait, get(A)));

  const outcomes = await Promise.allSettled([scope.get(A), scope.get(B)]);

  expect(outcomes).toMatchObject([{ reason: { code: "cycle" } }, { reason: { code: "cycle" } }]);
});

test("a dependency that two others use is no circle", async () => {
  const diary: string[] = [];
  const Base = noted("base", diary);
  const Top = dependency("top", async (get) =>
    Promise.all([get(noted("left", diary, [Base])), get(noted("right", diary, [Base]))]),
  );

  await createScope().get(Top);

  expect(diary).toEqual(["+base", "+left", "+right"]);
});

test("an override takes the place of a factory, for dependencies that use it, too", async () => {
  const diary: string[] = [];
  const Db = noted("db", diary, [], "session");
  const Users = dependency("users", async (get) => `users of ${await get(Db)}`);
  const session = createScope({ overrides: [override(Db, async () => "a fake")] });
  const turn = createScope({ parent: session });

  expect(await turn.get(Users)).toBe("users of a fake");
  await turn.dispose();
  await session.dispose();

  // Neither was the real one made, nor its dispose called with the fake.
  expect(diary).toEqual([]);
});

test("an override may bring a dispose of its own and use other dependencies", async () => {
  const disposed: string[] = [];
  const Name = dependency("name", () => "memory");
  const Db = dependency("db", () => "real");
  const fake = override(Db, async (get) => `${await get(Name)} db`, {
    dispose: (value) => void disposed.push(value),
  });
  const scope = createScope({ overrides: [fake] });

  expect(await scope.get(Db)).toBe("memory db");
  await scope.dispose();

  expect(disposed).toEqual(["memory db"]);
});

test("an override of a turn holds for that turn only", async () => {
  const Db = dependency("db", () => "real", { scope: "session" });
  const session = createScope();
  const tested = createScope({ parent: session, overrides: [override(Db, () => "fake")] });

  expect(await tested.get(Db)).toBe("fake");
  expect(await createScope({ parent: session }).get(Db)).toBe("real");
});

test("a scope can be used with await using", async () => {
  const diary: string[] = [];

  {
    await using scope = createScope();
    await scope.get(noted("db", diary));
  }

  expect(diary).toEqual(["+db", "-db"]);
});
