/** Promises and other thenables: foreign code may return any of them. */

/** Whether a value must be awaited; any thenable counts. Never throws. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  try {
    return typeof (value as { readonly then?: unknown }).then === "function";
  } catch {
    // A `then` that cannot be read cannot be awaited.
    return false;
  }
}

const { then: nativeThen } = Promise.prototype;

/** Converts any thenable to a real promise: it settles once, and rejects with whatever the thenable throws. Never throws. */
export function toPromise<T>(value: T | PromiseLike<T>): Promise<T> {
  try {
    const promise = Promise.resolve(value);
    // A promise with its own `then` may do anything when that is called.
    if (promise.then === nativeThen) return promise;
  } catch {
    // The `constructor` or `then` cannot be read: the promise below rejects with the reason.
  }
  return new Promise((resolve) => {
    resolve(value);
  });
}
