/** A PgBouncer in front of a server: it gives each transaction of a client any of a few connections. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { freePort, openFolder } from "./postgres-server.ts";

export interface Pooler extends AsyncDisposable {
  readonly url: string;
}

/** The pooler, or why there is none. */
export async function startPgBouncer(serverUrl: string): Promise<Pooler | string> {
  if (spawnSync("pgbouncer", ["--version"]).error !== undefined) {
    return "pgbouncer is not installed: run scripts/system-packages";
  }
  const { hostname, port: serverPort, username } = new URL(serverUrl);
  const port = await freePort();
  const folder = mkdtempSync(join(openFolder(), "capstan-pgbouncer-"));
  const server = `host=${hostname} port=${serverPort} dbname=postgres user=${username}`;
  const settings = [
    "[databases]",
    `postgres = ${server}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 8",
    "max_client_conn = 500",
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, `${settings.join("\n")}\n`, { mode: 0o644 });
  // It refuses to run as root.
  const user = userInfo().uid === 0 ? ["-u", "nobody"] : [];
  const child = spawn("pgbouncer", [...user, file], { stdio: ["ignore", "ignore", "pipe"] });
  process.once("exit", () => child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("process up")) resolve();
    });
    child.on("exit", () => reject(new Error(`PgBouncer ended: ${log}`)));
  });
  return {
    url: `postgres://${username}@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}
