/** Promises and whatever else has a `then`: code of others may return any of them. */

/** Whether a value has to be waited for; any thenable counts. Never throws. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  try {
    return typeof (value as { readonly then?: unknown }).then === "function";
  } catch {
    // A `then` that cannot be read cannot be waited for.
    return false;
  }
}

const { then: nativeThen } = Promise.prototype;

/** A real promise for any thenable: it settles once, and whatever the thenable throws is its rejection. Never throws. */
export function toPromise<T>(value: T | PromiseLike<T>): Promise<T> {
  try {
    const promise = Promise.resolve(value);
    // One that brings its own `then` may do anything when that is called.
    if (promise.then === nativeThen) return promise;
  } catch {
    // Its `constructor` or its `then` cannot be read: the promise below rejects with the reason.
  }
  return new Promise((resolve) => {
    resolve(value);
  });
}
