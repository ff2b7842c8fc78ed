import { expect, test } from "vitest";
import { sandboxDriver } from "../../src/sandbox/drivers.ts";
import type { SandboxPolicy } from "../../src/sandbox/policy.ts";
import { sandboxRuntime } from "../../src/sandbox/sandbox-runtime.ts";

const policy: SandboxPolicy = {
  mode: "write",
  cwd: "/project",
  writable: ["/project"],
  readOnly: ["/project/.npmrc", "/project/.vscode"],
  pinned: [],
  reopened: ["/project/.vscode/a.json"],
  hidden: ["/home/me/agent.sock"],
  network: "open",
  temporary: "/tmp/own",
};

/** A package that keeps the configurations it gets. */
function recorded(errors: readonly string[] = []) {
  const configs: unknown[] = [];
  const driver = sandboxRuntime(async () => ({
    SandboxManager: {
      initialize: async (config) => void configs.push(config),
      isSupportedPlatform: () => true,
      checkDependencies: () => ({ errors }),
      wrapWithSandbox: async (command, _shell, config) => {
        configs.push(config);
        return `seatbelt ${command}`;
      },
    },
  }));
  return { driver, configs };
}

function paths(...names: readonly string[]) {
  return names.map((path) => ({ path, literal: true }));
}

test("a policy becomes lists of paths that may be written or not", async () => {
  const { driver, configs } = recorded();

  const argv = await driver.wrap(["/bin/sh", "-c", "echo 'a b'"], policy);

  expect(argv).toEqual(["/bin/bash", "-c", String.raw`seatbelt '/bin/sh' '-c' 'echo '\''a b'\'''`]);
  expect(configs.at(-1)).toEqual({
    network: { deniedDomains: [] },
    filesystem: {
      denyRead: paths("/home/me/agent.sock"),
      allowWrite: paths("/project", "/tmp/own"),
      denyWrite: paths("/project/.npmrc", "/project/.vscode", "/home/me/agent.sock"),
    },
  });
});

test.each([
  ["none", []],
  [["example.org"], ["example.org"]],
] as const)("a network of %j is the list %j of hosts", async (network, allowedDomains) => {
  const { driver, configs } = recorded();

  await driver.wrap(["true"], { ...policy, network });

  expect(configs).toHaveLength(2);
  expect(configs.at(-1)).toMatchObject({ network: { allowedDomains } });
});

test("a package that is missing, or misses something, is told with what to do", async () => {
  const wanted = { mode: "write", network: "open" } as const;
  const missing = sandboxRuntime(() => Promise.reject(new Error("not found")));

  expect(await missing.check(wanted)).toContain("npm install @anthropic-ai/sandbox-runtime@");
  expect(await recorded(["no ripgrep"]).driver.check(wanted)).toContain("no ripgrep");
  expect(await recorded().driver.check(wanted)).toBeUndefined();
});

test("a platform without a sandbox refuses", async () => {
  const driver = sandboxDriver("win32");

  expect(await driver.check({ mode: "write", network: "open" })).toContain("win32");
});
