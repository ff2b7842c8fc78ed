/** Unix sockets through which a command could have work done outside of its sandbox: of containers, agents, displays and terminals. */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Folders and files that hold sockets of daemons, besides /run and /tmp, which a sandbox never shows. */
const inHome = [
  ...[".docker/run", ".docker/desktop", ".colima", ".lima", ".orbstack/run", ".rd"],
  ...[".local/share/containers/podman/machine", ".gnupg/S.gpg-agent", ".gnupg/S.gpg-agent.ssh"],
];
const elsewhere = [
  ...["/var/lib/lxd/unix.socket", "/var/lib/incus/unix.socket", "/var/snap/lxd/common/lxd"],
  "/var/lib/docker",
];
/** Variables that name a socket, as a path or as an address. */
const variables = ["SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "CONTAINER_HOST"];

/** Existing paths. Sockets that a process of this network opens later are not among them. */
export function socketPaths(env: NodeJS.ProcessEnv): readonly string[] {
  const named = variables.flatMap((name) => {
    const value = env[name] ?? "";
    return /^(?:unix:(?:path=|\/\/)?)?(\/[^,;]+)/.exec(value)?.[1] ?? [];
  });
  const home = homedir();
  return [
    ...new Set([...inHome.map((path) => join(home, path)), ...elsewhere, ...named, ...listening()]),
  ].filter((path) => existsSync(path));
}

/** Paths of all sockets that are bound in this network, as the kernel lists them. */
function listening(): readonly string[] {
  try {
    return readFileSync("/proc/net/unix", "utf8")
      .split("\n")
      .flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/.exec(line)?.[1] ?? []);
  } catch {
    // There is no such list here.
    return [];
  }
}
