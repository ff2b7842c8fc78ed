/** The packages as npm would fetch them: packed once, and served by a registry of their own. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface Packed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly integrity: string;
}

/** A registry that has the packages of this repository. */
export interface Registry {
  /** Environment in which npm fetches these packages from here, and all others as it is set up. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the tarballs. */
  readonly folder: string;
  close(): void;
}

const root = join(import.meta.dirname, "..", "..");

/** Packs what was built: run `npm run build` after a change. */
export async function serveRegistry(): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-registry-"));
  const args = ["pack", "--workspaces", "--json", "--ignore-scripts", "--pack-destination", folder];
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  // The shape is npm's; a different one would fail every install.
  const all = JSON.parse(stdout) as readonly Packed[];
  const http = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const tarball = all.find(({ filename }) => path === filename);
    if (tarball !== undefined) return response.end(readFileSync(join(folder, tarball.filename)));
    const packed = all.find(({ name }) => path === name);
    if (packed === undefined) return response.writeHead(404).end("{}");
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(packument(packed, `http://${request.headers.host}/${packed.filename}`)));
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
  return {
    env: { "npm_config_@capstan:registry": url },
    folder,
    close() {
      http.close();
      http.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Document of a package, with the one version that there is. */
function packument({ name, version, integrity }: Packed, tarball: string): object {
  const path = join(root, "packages", name.replace("@capstan/", ""), "package.json");
  const manifest: object = JSON.parse(readFileSync(path, "utf8"));
  return {
    name,
    "dist-tags": { latest: version },
    versions: { [version]: { ...manifest, dist: { tarball, integrity } } },
  };
}
