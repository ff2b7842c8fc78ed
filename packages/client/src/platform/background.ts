/** Work that nobody waits for. */

/** Whatever goes wrong with the task is told to `onError`. */
export function background(task: Promise<unknown>, onError: (thrown: unknown) => void): void {
  task.catch(onError);
}
