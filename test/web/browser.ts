/** Debian's Chromium, driven by playwright-core. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The part of Playwright that the tests use: its own types are there only after `npm ci --prefix test/web`. */
export interface Locator {
  first(): Locator;
  last(): Locator;
  locator(selector: string): Locator;
  getByText(text: string | RegExp): Locator;
  getByRole(role: string, options?: RoleOptions): Locator;
  getByLabel(text: string | RegExp): Locator;
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  focus(): Promise<void>;
  waitFor(options?: { readonly state: "visible" | "hidden" | "attached" }): Promise<void>;
  count(): Promise<number>;
  innerText(): Promise<string>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  allInnerTexts(): Promise<string[]>;
  isVisible(): Promise<boolean>;
}

interface RoleOptions {
  readonly name?: string | RegExp;
  readonly exact?: boolean;
}

export interface Page extends Pick<Locator, "locator" | "getByText" | "getByRole" | "getByLabel"> {
  readonly keyboard: { press(key: string): Promise<void> };
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  url(): string;
  evaluate<T>(script: string): Promise<T>;
  emulateMedia(media: { readonly colorScheme: "light" | "dark" }): Promise<void>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  setDefaultTimeout(ms: number): void;
  on(name: "console", listener: (message: ConsoleMessage) => void): void;
  on(name: "pageerror", listener: (error: Error) => void): void;
  on(name: "request", listener: (request: { url(): string }) => void): void;
  close(): Promise<void>;
}

interface ConsoleMessage {
  type(): string;
  text(): string;
}

interface BrowserContext {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface Playwright {
  readonly chromium: {
    launchPersistentContext(folder: string, options: object): Promise<BrowserContext>;
  };
}

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const modules = join(import.meta.dirname, "node_modules");

/** Why no browser can be driven. Undefined if one can. */
export const missingBrowser: string | undefined = reasonIfMissing();

function reasonIfMissing(): string | undefined {
  if (!existsSync(executablePath)) {
    return `there is no ${executablePath}: run scripts/system-packages, or set CHROMIUM`;
  }
  if (!existsSync(join(modules, "playwright-core"))) {
    return "playwright-core is not installed: run npm ci --prefix test/web";
  }
  return undefined;
}

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export class Browser {
  readonly #context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.#context = context;
    this.#profile = profile;
  }

  static async launch(): Promise<Browser> {
    const require = createRequire(import.meta.url);
    const { chromium } = require(join(modules, "playwright-core")) as Playwright;
    const profile = mkdtempSync(join(tmpdir(), "capstan-chromium-"));
    const viewport = { width: 1000, height: 800 };
    const options = { executablePath, args, viewport };
    return new Browser(await chromium.launchPersistentContext(profile, options), profile);
  }

  /** Opens a page. What goes wrong in it is added to `problems`. */
  async open(problems: string[]): Promise<Page> {
    const page = await this.#context.newPage();
    page.setDefaultTimeout(15_000);
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    return page;
  }

  async close(): Promise<void> {
    await this.#context.close();
    rmSync(this.#profile, { recursive: true, force: true });
  }
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Serious and critical findings of axe-core, one line each. */
export async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  const axe = readFileSync(join(modules, "axe-core", "axe.min.js"), "utf8");
  await page.evaluate(`${axe}; undefined`);
  const violations = await page.evaluate<readonly Finding[]>(
    "axe.run(document).then(({ violations }) => violations)",
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
