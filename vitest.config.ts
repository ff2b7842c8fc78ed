import { defineConfig } from "vitest/config";

const source = "@capstan/source";

// Tests read the packages' src through this condition: no build is needed, and none can be stale.
const readSource = {
  resolve: { conditions: [source, "module", "node", "development|production"] },
  ssr: { resolve: { conditions: [source, "module", "node", "development|production"] } },
};

export default defineConfig({
  test: {
    // The default leaves one core free, which is half of a machine that has two.
    maxWorkers: "100%",
    projects: [
      {
        ...readSource,
        test: {
          name: "unit",
          include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["**/*.process.test.ts"],
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
        },
      },
    ],
  },
});
