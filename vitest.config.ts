import { join } from "node:path";
import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

const source = "@capstan/source";

// Tests read the packages' src through this condition: no build is needed, and none can be stale.
const readSource = {
  resolve: { conditions: [source, "module", "node", "development|production"] },
  ssr: { resolve: { conditions: [source, "module", "node", "development|production"] } },
};

/** By size, as files without a known duration are sorted, the longest searches would come last: they are short to read. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** What the crash simulator searches. */
function isLong({ moduleId }: TestSpecification): boolean {
  return /\/testing\/test\/crash-[a-z-]+\.test\.ts$/.test(moduleId);
}

export default defineConfig({
  test: {
    // The default leaves one core free, which is half of a machine that has two.
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...readSource,
        test: {
          name: "unit",
          include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["**/*.process.test.ts", "**/node_modules/**"],
          // A worker loads a module once, and not for each file: ours keep no state that a test could change, and what
          // a test changes in its process it puts back.
          isolate: false,
          execArgv: [`--conditions=${source}`],
          // Long searches share two cores with others in CI.
          testTimeout: 20_000,
          typecheck: {
            enabled: true,
            include: ["packages/*/test/**/*.test-d.ts"],
            tsconfig: "tsconfig.test.json",
            // A type error outside a type test is reported by `tsc -b`, once.
            ignoreSourceErrors: true,
          },
        },
      },
      {
        ...readSource,
        test: {
          name: "process",
          include: ["packages/*/test/**/*.process.test.ts", "test/**/*.process.test.ts"],
          execArgv: [`--conditions=${source}`],
          testTimeout: 30_000,
          // The processes that tests start read hundreds of files of source. Node keeps what it made of a file by what
          // is in it, so none of it can be stale.
          env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.compile-cache") },
        },
      },
    ],
  },
});
