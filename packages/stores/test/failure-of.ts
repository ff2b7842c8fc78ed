/** Failure of a call, thrown or rejected. */
export async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("it did not fail");
}
