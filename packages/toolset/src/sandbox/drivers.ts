/** The sandbox of this machine. */
import { bubblewrap } from "./bubblewrap.ts";
import type { SandboxDriver, SandboxPolicy } from "./policy.ts";
import { sandboxRuntime } from "./sandbox-runtime.ts";

const known = new Map<NodeJS.Platform, SandboxDriver>();

/** Always the same one for a platform: what it has found out about the machine is not asked again. */
export function sandboxDriver(platform: NodeJS.Platform = process.platform): SandboxDriver {
  const driver = known.get(platform) ?? createDriver(platform);
  known.set(platform, driver);
  return driver;
}

function createDriver(platform: NodeJS.Platform): SandboxDriver {
  if (platform === "linux") return bubblewrap();
  if (platform === "darwin") return sandboxRuntime();
  return {
    name: "none",
    check: async () => `No sandbox is known for ${platform}. Run the agent in a container.`,
    temporaryPath: (temporary) => temporary,
    wrap: async () => ["false"],
  };
}

/** Returns what is missing for a sandbox on this machine, and how to get it; undefined if it works. */
export function checkSandbox({
  mode,
  network = defaultNetwork(mode),
}: Pick<SandboxPolicy, "mode"> & Partial<Pick<SandboxPolicy, "network">>): Promise<
  string | undefined
> {
  return sandboxDriver().check({ mode, network });
}

export function defaultNetwork(mode: SandboxPolicy["mode"]): SandboxPolicy["network"] {
  return mode === "strict" ? "none" : "open";
}
