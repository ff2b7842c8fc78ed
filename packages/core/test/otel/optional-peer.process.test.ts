import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const program = (specifier: string): string => `
  import { registerHooks } from "node:module";
  const urls = [];
  registerHooks({
    load(url, context, nextLoad) {
      urls.push(url);
      return nextLoad(url, context);
    },
  });
  await import("${specifier}");
  console.log(urls.some((url) => url.includes("/@opentelemetry/")));
`;

test.each([
  ["@capstan/core", "false"],
  ["@capstan/core/otel", "true"],
])("whether importing %s loads OpenTelemetry: %s", (specifier, isLoaded) => {
  const args = ["--conditions=@capstan/source", "--input-type=module", "-e", program(specifier)];

  const printed = execFileSync(process.execPath, args, {
    cwd: import.meta.dirname,
    encoding: "utf8",
  });

  expect(printed.trim()).toBe(isLoaded);
});
