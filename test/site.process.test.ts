/** The built site, and the site in a real browser. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser, missingBrowser } from "./web/browser.ts";

const root = join(import.meta.dirname, "..");
const isInstalled = existsSync(join(root, "site", "node_modules", "vitepress"));
const out = mkdtempSync(join(tmpdir(), "capstan-site-"));
afterAll(() => rmSync(out, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(out, path), "utf8");

const pagesTried = [
  "/",
  "/start/in-a-program.html",
  "/start/new-project.html",
  "/specs/tools.html",
  "/reference/core.html",
  "/guarantees.html",
];

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".woff2": "font/woff2",
};

const skipped = isInstalled ? "" : " (skipped: run npm ci --prefix site)";

describe.skipIf(!isInstalled)(`the site of the documents${skipped}`, () => {
  beforeAll(() => {
    const args = ["scripts/docs.ts", "--out", out];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: "utf8",
    });
    expect(status, `${stdout}${stderr}`).toBe(0);
  }, 120_000);

  test("llms.txt lists pages that are on the site as Markdown, and llms-full.txt has their text", () => {
    const links = [...read("llms.txt").matchAll(/\]\(\/([^)]+)\)/g)].map(([, path = ""]) => path);

    expect(links.length).toBeGreaterThan(60);
    expect(links.filter((path) => !existsSync(join(out, path)))).toEqual([]);
    expect(read("llms-full.txt")).toContain("# Start in a program");
  });

  test("the search index knows names of the reference and words of the guides", () => {
    const chunks = join(out, "assets", "chunks");
    const index = readdirSync(chunks).find((name) => name.startsWith("@localSearchIndex"));

    const text = readFileSync(join(chunks, index ?? ""), "utf8");

    expect(text).toContain("scriptedprovider");
    expect(text).toContain("start/in-a-program");
  });

  const reason = missingBrowser === undefined ? "" : ` (skipped: ${missingBrowser})`;
  describe.skipIf(missingBrowser !== undefined)(`in Chromium${reason}`, () => {
    let server: Server;
    let browser: Browser;
    let url: string;

    beforeAll(async () => {
      server = createServer((request, response) => {
        const { pathname } = new URL(request.url ?? "/", "http://site");
        const path = join(out, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
        const isFound = existsSync(path);
        const type = types[extname(path)] ?? "application/octet-stream";
        response.writeHead(isFound ? 200 : 404, { "content-type": type });
        response.end(isFound ? readFileSync(path) : "");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      browser = await Browser.launch();
    });

    afterAll(async () => {
      await browser.close();
      server.closeAllConnections();
      server.close();
    });

    test.each([
      ["light", 1280],
      ["dark", 1280],
      ["light", 390],
    ] as const)(
      "pages in a %s theme, %i pixels wide, fit, report no error and ask no other server",
      async (colorScheme, width) => {
        const problems: string[] = [];
        const page = await browser.open(problems);
        page.on("request", (request) => {
          if (!request.url().startsWith(url)) problems.push(`asked ${request.url()}`);
        });
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });

        for (const path of pagesTried) {
          await page.goto(url + path);
          await page.locator("h1").first().waitFor();
          const root = "document.documentElement";
          expect(await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`)).toBe(0);
          const isDark = await page.evaluate(`${root}.classList.contains("dark")`);
          expect(isDark).toBe(colorScheme === "dark");
        }

        expect(problems).toEqual([]);
        await page.close();
      },
    );

    test("a group of blocks has a tab for each, and shows the one that is chosen", async () => {
      const page = await browser.open([]);
      await page.goto(`${url}/start/new-project.html`);
      const group = page.locator(".vp-code-group").first();

      await group.locator("label").getByText("pnpm").click();

      expect(await group.locator("label").allInnerTexts()).toEqual(["npm", "pnpm", "yarn", "bun"]);
      expect(await group.locator("div.active").innerText()).toContain("pnpm create capstan");
      await page.close();
    });

    test("a search finds a name and leads to its page", async () => {
      const problems: string[] = [];
      const page = await browser.open(problems);
      await page.setViewportSize({ width: 1280, height: 844 });
      await page.goto(`${url}/`);

      await page.locator(".DocSearch-Button").first().click();
      await page.locator("#localsearch-input").fill("scriptedProvider");
      await page.locator(".result").first().waitFor();
      await page.keyboard.press("Enter");
      await page.locator(".VPLocalSearchBox").waitFor({ state: "hidden" });

      expect(page.url()).not.toBe(`${url}/`);
      expect(await page.locator("main").first().innerText()).toMatch(/scripted ?provider/i);
      expect(problems).toEqual([]);
      await page.close();
    });
  });
});
