/** Serves the page and the built files of the packages that it imports. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import type { PageHandler, PageOptions, ServedPage } from "../chat-demo/serve-page.ts";
import { servePage } from "../chat-demo/serve-page.ts";

const page = join(import.meta.dirname, "page");
const require = createRequire(import.meta.url);

/** The import map of `page/index.html` names these addresses. */
const folders: Readonly<Record<string, string>> = {
  page,
  demo: join(import.meta.dirname, "..", "chat-demo"),
  client: distOf("@capstan/client"),
  log: distOf("@capstan/log"),
  kernel: distOf("@capstan/kernel"),
};

function distOf(name: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), "dist");
}

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

export function serveWebChat(options: PageOptions): Promise<ServedPage> {
  return servePage(options, () => handlePage);
}

const handlePage: PageHandler = (request, response) => {
  const path = fileOf(new URL(request.url ?? "/", "http://page.invalid").pathname);
  const mediaType = path && mediaTypes[extname(path)];
  if (path === undefined || mediaType === undefined) {
    response.writeHead(404).end("Not found");
    return;
  }
  readFile(path).then(
    (content) => {
      const headers = { "content-type": mediaType, "cache-control": "no-cache" };
      response.writeHead(200, { ...headers, "content-security-policy": policy }).end(content);
    },
    () => response.writeHead(404).end("Not found"),
  );
};

/** Plain names only, so that no path leads out of the folders. */
function fileOf(pathname: string): string | undefined {
  if (pathname === "/") return join(page, "index.html");
  const [, folder = "", file = ""] = /^\/(\w+)\/((?:[\w-]+\/)*[\w-]+\.\w+)$/.exec(pathname) ?? [];
  const found = Object.hasOwn(folders, folder) ? folders[folder] : undefined;
  return found && join(found, file);
}

/** Scripts of this server only. The import map is the one inline script, and is allowed by its hash. */
const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${hashOfImportMap()}'`,
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashOfImportMap(): string {
  const html = readFileSync(join(page, "index.html"), "utf8");
  const [, importMap = ""] = /<script type="importmap">(.*?)<\/script>/s.exec(html) ?? [];
  return createHash("sha256").update(importMap).digest("base64");
}
