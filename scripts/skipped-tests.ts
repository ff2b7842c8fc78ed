/** Reporter of vitest for CI: lists the tests that were skipped, and why. The summary of vitest has only their number. */
import type { Reporter, TestModule } from "vitest/node";

export interface SkippedTest {
  readonly file: string;
  readonly name: string;
  /** Absent if the test gives none. */
  readonly reason?: string | undefined;
}

export default class SkippedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(({ relativeModuleId: file, children }) =>
      Array.from(children.allTests("skipped"), (test): SkippedTest => {
        const result = test.result();
        const reason = result.state === "skipped" ? result.note : undefined;
        return { file, name: test.fullName, reason };
      }),
    );
    for (const line of toLines(skipped)) console.log(line);
  }
}

/** One line for each reason in each file, and one for all tests of a file that give none. */
export function toLines(skipped: readonly SkippedTest[]): string[] {
  const groups = Map.groupBy(skipped, ({ file, reason = "" }) => `${file}: ${reason}`);
  const lines = Array.from(groups, ([group, tests]) => {
    const names = tests.flatMap(({ name, reason }) => (reason === undefined ? name : []));
    const more = names.length > 1 ? ", and others" : "";
    return `  ${tests.length} in ${group}${names[0] ?? ""}${more}`;
  });
  return [`${skipped.length} tests were skipped`, ...lines];
}
