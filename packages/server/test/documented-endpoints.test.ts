/** The pages name the endpoints of the server, and no others. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorld } from "./world.ts";

const root = join(import.meta.dirname, "../../..");

/** `GET /metrics`, and `GET` and `DELETE /api/stream/:id`, which name one address for both. */
function endpointsIn(text: string): readonly string[] {
  const shared = text.matchAll(/`(GET|POST|DELETE)` and `[A-Z]+ (\/[\w/:.-]+)/g);
  const named = text.matchAll(/`(GET|POST|DELETE) (\/[\w/:.-]+)/g);
  return [...shared, ...named].map(([, method, path]) => `${method} ${path}`);
}

/** As the OpenAPI description of a real server has them. */
async function realEndpoints(): Promise<readonly string[]> {
  const world = await createWorld([]);
  const response = await world.request("/openapi.json");
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace("{id}", ":id")}`),
  );
  return [...new Set([...described, "GET /openapi.json"])].toSorted();
}

test("docs/specs/server.md lists every endpoint once, and no other", async () => {
  const text = readFileSync(join(root, "docs/specs/server.md"), "utf8");
  const table = /## Endpoints\n(.*?)\n\n[^|\n]/s.exec(text)?.[1] ?? "";

  expect(endpointsIn(table).toSorted()).toEqual(await realEndpoints());
});

test("every endpoint that a page names exists", async () => {
  const real = new Set(await realEndpoints());
  const pages = globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "examples/*/README.md"], {
    cwd: root,
    exclude: ["docs/decisions/**"],
  });

  const named = pages.flatMap((page) =>
    endpointsIn(readFileSync(join(root, page), "utf8")).map((endpoint) => ({ page, endpoint })),
  );

  // The request that the store of Durable Objects sends to a service of the application.
  const ofOthers = new Set(["POST /due"]);
  const missing = named.filter(({ endpoint }) => !real.has(endpoint) && !ofOthers.has(endpoint));
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});
