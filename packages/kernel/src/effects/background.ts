/** Work that no caller awaits. */

/** Reports a failure of the task to `onError`. */
export function background(task: PromiseLike<unknown>, onError: (thrown: unknown) => void): void {
  Promise.resolve(task).catch(onError);
}
