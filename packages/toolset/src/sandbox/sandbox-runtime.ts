/** Sandbox of macOS: seatbelt, by the optional package `@anthropic-ai/sandbox-runtime`. */
import type { SandboxDriver, SandboxPolicy } from "./policy.ts";

/** Part of the package that is used, as of version 0.0.83. */
interface Runtime {
  readonly SandboxManager: {
    initialize(config: RuntimeConfig): Promise<void>;
    isSupportedPlatform(): boolean;
    checkDependencies(): { readonly errors: readonly string[] };
    wrapWithSandbox(command: string, shell: string, config: RuntimeConfig): Promise<string>;
  };
}

interface RuntimeConfig {
  readonly network: {
    /** Absent: not limited. */
    readonly allowedDomains?: readonly string[];
    readonly deniedDomains: readonly string[];
  };
  readonly filesystem: {
    readonly denyRead: readonly LiteralPath[];
    readonly allowWrite: readonly LiteralPath[];
    readonly denyWrite: readonly LiteralPath[];
  };
}

/** A path in which no character is a wildcard. */
interface LiteralPath {
  readonly path: string;
  readonly literal: true;
}

const packageName = "@anthropic-ai/sandbox-runtime";
const install = `Install it: npm install ${packageName}@0.0.83`;
const shell = "/bin/bash";

/** Loaded when the first command runs: importing it takes 200 ms. */
async function loadRuntime(): Promise<Runtime> {
  const name: string = packageName;
  // The package is optional, so its types may be absent.
  return (await import(name)) as Runtime;
}

export function sandboxRuntime(load: () => Promise<Runtime> = loadRuntime): SandboxDriver {
  let loading: Promise<Runtime> | undefined;
  let initialized: Promise<void> | undefined;
  const loaded = (): Promise<Runtime> => (loading ??= load());
  return {
    name: "sandbox-runtime",
    temporaryPath: (temporary) => temporary,
    async check() {
      try {
        const { SandboxManager } = await loaded();
        if (!SandboxManager.isSupportedPlatform()) return `${packageName} does not run here.`;
        const { errors } = SandboxManager.checkDependencies();
        return errors.length === 0 ? undefined : `${packageName}: ${errors.join(", ")}.`;
      } catch {
        // Not installed, or too old for this Node.
        loading = undefined;
        return `${packageName} cannot be loaded. ${install}.`;
      }
    },
    async wrap(argv, policy) {
      const { SandboxManager } = await loaded();
      const config = toConfig(policy);
      await (initialized ??= SandboxManager.initialize(config));
      const command = argv.map(quoted).join(" ");
      return [shell, "-c", await SandboxManager.wrapWithSandbox(command, shell, config)];
    },
  };
}

/** Seatbelt has no exception within a denied folder: a path that is opened again in one stays closed. */
function toConfig(policy: SandboxPolicy): RuntimeConfig {
  const { writable, readOnly, hidden, network, temporary } = policy;
  return {
    network: {
      ...(network !== "open" && { allowedDomains: network === "none" ? [] : network }),
      deniedDomains: [],
    },
    filesystem: {
      denyRead: hidden.map(literal),
      allowWrite: [...writable, temporary].map(literal),
      denyWrite: [...readOnly, ...hidden].map(literal),
    },
  };
}

function literal(path: string): LiteralPath {
  return { path, literal: true };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
