/** Values that code of others may throw, return or hand over: each is made anew for every use. */

const huge = "x".repeat(2_000_000);

export const hostileValues: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  false: () => false,
  zero: () => 0,
  NaN: () => NaN,
  Infinity: () => Infinity,
  "a bigint": () => 1n,
  "an empty text": () => "",
  "a text": () => "plain",
  "a huge text": () => huge,
  "half a surrogate pair": () => "\ud800",
  "a text with NUL": () => "a\u0000b",
  "a symbol": () => Symbol("odd"),
  "a function": () => () => "called",
  "a function that throws": () => throws,
  "an async function": () => async () => "called",
  "a class": () => Redeclared,
  "an empty object": () => ({}),
  "an empty list": () => [],
  "a list of null": () => [null],
  "a deep list": () => nested(20_000, (inner) => [inner]),
  "a deep object": () => nested(20_000, (inner) => ({ inner })),
  "a cyclic object": cyclic,
  "a cyclic list": cyclicList,
  "an object with a bigint": () => ({ id: "x", created: 5n }),
  "an object with a symbol": () => ({ id: Symbol("id") }),
  "a date": () => new Date(0),
  "an invalid date": () => new Date(NaN),
  "a map": () => new Map([[{}, 1]]),
  "a set": () => new Set([1n]),
  "a regular expression": () => /odd/,
  bytes: () => new Uint8Array(8),
  "no prototype": () => Object.create(null),
  "an object with __proto__": () => JSON.parse('{"__proto__":{"isError":true},"output":"x"}'),
  "an error whose message is null": () => errorWith({ message: null }),
  "an error whose message is undefined": () => errorWith({ message: undefined }),
  "an error whose message is a number": () => errorWith({ message: 42 }),
  "an error whose message is a list": () => errorWith({ message: ["a", { b: 1 }] }),
  "an error whose message is an object": () => errorWith({ message: { detail: "odd" } }),
  "an error whose message is a bigint": () => errorWith({ message: 1n }),
  "an error whose message is a symbol": () => errorWith({ message: Symbol("odd") }),
  "an error whose message throws": () => throwingField("message"),
  "an error whose name is a symbol": () => errorWith({ name: Symbol("odd") }),
  "an error whose name is null": () => errorWith({ name: null }),
  "an error whose name throws": () => throwingField("name"),
  "an error whose code is an object": () => errorWith({ code: { a: 1 } }),
  "an error whose code throws": () => throwingField("code"),
  "an error that declares its message again": () => new Redeclared("lost"),
  "an error with a huge message": () => new Error(huge),
  "an error that causes itself": causesItself,
  "an error of errors": () => new AggregateError([1n, null], "several"),
  "an error that may be retried": () => errorWith({ retryable: true, retryAfterMs: "soon" }),
  "a proxy that throws": () => new Proxy({}, throwingTraps),
  "a proxy of a function that throws": () => new Proxy(() => {}, throwingTraps),
  "a revoked proxy": () => revoked({}),
  "a revoked proxy of a list": () => revoked([]),
  "a revoked proxy of a function": () => revoked(() => {}),
  "a proxy of an error": () => new Proxy(new Error("inside"), {}),
  "a proxy of a promise": () => new Proxy(Promise.resolve("inside"), {}),
  "a proxy of a list": () =>
    new Proxy([1], { get: (list, key) => (key === "length" ? 1_000 : list) }),
  "a toJSON that throws": () => ({ toJSON: throws }),
  "a toJSON that gives a bigint": () => ({ toJSON: () => 1n }),
  "a toString that throws": () => ({ toString: throws, [Symbol.toPrimitive]: throws }),
  "a getter that changes": changing,
  "a thenable that never settles": () => withThen({}, () => {}),
  "a thenable that settles twice": () => withThen({}, settlesTwice),
  "a thenable that throws": () => withThen({}, throws),
  "a thenable that settles and throws": () => withThen({}, settlesAndThrows),
  "a thenable that rejects with nothing": () => withThen({}, rejects),
  "a then that throws when read": () => throwingField("then"),
  "a function with a then": () => withThen(() => {}, settlesTwice),
  "a promise with a then of its own": () => withThen(Promise.resolve(1), throws),
  "a promise with a constructor that throws": promiseWithoutConstructor,
  "a promise that rejects with null": () => rejected(null),
  "a promise that rejects with a proxy": () => rejected(revoked({})),
  "a promise that never settles": () => new Promise(() => {}),
  "an async iterable that throws": () => ({ [Symbol.asyncIterator]: throws }),
  "an async iterable without next": () => ({ [Symbol.asyncIterator]: () => ({}) }),
  "an async iterable of nothing": () => ({ [Symbol.asyncIterator]: () => ({ next: () => null }) }),
  "a decision without a reason": () => ({ action: "block" }),
  "a decision that is a symbol": () => ({ action: Symbol("run"), type: Symbol("text_delta") }),
  "issues that are no list": () => ({ issues: 5 }),
  "issues that are null": () => ({ issues: [null, { message: Symbol("odd"), path: 5 }] }),
  "a result of the wrong types": () => ({ isError: "no", output: { a: 1n }, outcome: "done" }),
  "a tool output of the wrong types": () => ({ ok: true, outputMessage: "x", details: cyclic() }),
  "a part of the wrong types": () => [{ type: "image", mediaType: "image/png", data: 5 }],
  "an image that is none": () => [{ type: "image", mediaType: "image/png", data: "%" }],
};

class Redeclared extends Error {
  override message: never = undefined as never;
}

function errorWith(fields: object): Error {
  return Object.assign(new Error("API failed"), fields);
}

function throwingField(name: string): Error {
  return Object.defineProperty(new Error("odd"), name, { get: throws });
}

function throws(): never {
  throw Object.assign(new Error("hostile"), { message: null });
}

const throwingTraps: ProxyHandler<object> = {
  get: throws,
  has: throws,
  ownKeys: throws,
  getPrototypeOf: throws,
  getOwnPropertyDescriptor: throws,
  apply: throws,
};

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = null;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { type: "text" };
  value["self"] = value;
  return value;
}

function cyclicList(): unknown {
  const value: unknown[] = [];
  value.push(value);
  return value;
}

function causesItself(): Error {
  const error = new Error("round and round");
  error.cause = error;
  return error;
}

/** Gives what it should at the first look, and something else afterwards. */
function changing(): unknown {
  let reads = 0;
  return {
    type: "text",
    get text() {
      return reads++ === 0 ? "fine" : 5n;
    },
    get action() {
      return reads++ === 0 ? "block" : 5n;
    },
    get output() {
      return reads++ === 0 ? "fine" : 5n;
    },
  };
}

function withThen(target: object, then: (resolve: Settle, reject: Settle) => void): unknown {
  // eslint-disable-next-line unicorn/no-thenable -- that is the point of it
  return Object.defineProperty(target, "then", { value: then });
}

type Settle = (value: unknown) => void;

function settlesTwice(resolve: Settle, reject: Settle): void {
  resolve("first");
  resolve("second");
  reject(null);
}

function settlesAndThrows(resolve: Settle): void {
  resolve("first");
  throws();
}

function rejects(_: Settle, reject: Settle): void {
  reject(undefined);
}

function promiseWithoutConstructor(): unknown {
  return Object.defineProperty(Promise.resolve(1), "constructor", { get: throws });
}

function rejected(reason: unknown): Promise<never> {
  const promise = new Promise<never>(() => {
    throw reason;
  });
  // Handled here, so that only promises made from it can be left unhandled.
  promise.catch(() => {});
  return promise;
}
