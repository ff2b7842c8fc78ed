/** Asserts that a call of a store fails with this code, whether it throws or rejects. */
import assert from "node:assert/strict";
import { RepositoryError } from "@capstan/log";
import type { RepositoryErrorCode } from "@capstan/log";

export async function failsWith(code: RepositoryErrorCode, call: () => unknown): Promise<void> {
  await assert.rejects(
    async () => call(),
    (error) => {
      assert.ok(error instanceof RepositoryError, `not a RepositoryError: ${String(error)}`);
      assert.equal(error.code, code, error.message);
      return true;
    },
    `the call did not fail with ${code}`,
  );
}
