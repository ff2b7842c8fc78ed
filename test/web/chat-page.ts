/** The two pages of `examples`, with a model and tools that a test controls. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Agent } from "@capstan/core";
import { agentTool, createAgent } from "@capstan/core";
import type { ProviderContract, ToolContract } from "@capstan/kernel";
import type { ScriptItem, ScriptedProvider } from "@capstan/testing";
import { callTool, deferredTool, echoTool, parts, say, scriptedProvider } from "@capstan/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Locator, Page } from "./browser.ts";
import { Browser, missingBrowser } from "./browser.ts";

interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

export interface Example {
  readonly name: "web-chat" | "use-chat";
  /** Tools that the page runs and the server declares. The other page lends them. */
  readonly pageTools: readonly ToolContract[];
  /** Why it cannot be served. */
  readonly missing?: string | undefined;
  serve(options: { readonly agent: Agent }): Promise<PageServer>;
}

export interface RunningPages {
  /** Set before the first test. */
  pages: ChatPages;
}

/** Runs tests on a page in a browser, or says why it cannot. */
export function describePage(example: Example, ...suites: readonly Suite[]): void {
  const missing = missingBrowser ?? example.missing;
  const title = `${example.name} in Chromium${missing === undefined ? "" : ` (${missing})`}`;
  describe.skipIf(missing !== undefined)(title, () => {
    const running: Partial<RunningPages> = {};
    beforeAll(async () => {
      running.pages = await ChatPages.start(example);
    }, 60_000);
    afterAll(() => running.pages?.close());
    for (const suite of suites) suite(running as RunningPages);
    test("starts by the command of its README, and answers without a key", () =>
      running.pages?.runCommand(example.name));
  });
}

type Suite = (running: RunningPages) => void;

/** Continues the text that came before. */
export function continueWith(delta: string): ScriptItem {
  return parts([{ type: "text_delta", delta }]);
}

/** An agent that works in the background: it books once that is approved, and says what came of it. */
function researcher(book: ToolContract): ToolContract {
  const model: ProviderContract = {
    id: "researcher",
    contextWindow: 200_000,
    stream: (request) => {
      const move = request.step === 1 ? callTool("book", { what: "a museum" }) : say("Researched");
      return scriptedProvider([move]).stream(request);
    },
  };
  const agent = createAgent({ name: "researcher", model, tools: [book] });
  return agentTool(agent, { description: "Looks things up", mode: "background" });
}

const root = join(import.meta.dirname, "..", "..");

/** One server and one browser for a file of tests; each test plays a script of its own in a conversation of its own. */
class ChatPages {
  readonly work: ReturnType<typeof deferredTool>;
  readonly book: ReturnType<typeof echoTool>;
  readonly #server: PageServer;
  readonly #browser: Browser;
  readonly #scripts: { current: ScriptedProvider };

  private constructor(parts: Parts) {
    this.work = parts.work;
    this.book = parts.book;
    this.#server = parts.server;
    this.#browser = parts.browser;
    this.#scripts = parts.scripts;
  }

  static async start(example: Example): Promise<ChatPages> {
    const scripts = { current: scriptedProvider([]) };
    const model: ProviderContract = {
      id: "script",
      contextWindow: 200_000,
      stream: (request) => scripts.current.stream(request),
    };
    const work = deferredTool({ name: "work", settlesOnAbort: true });
    const book = echoTool({ name: "book", needsApproval: true });
    const tools = [work, book, ...example.pageTools, researcher(book)];
    const agent = createAgent({ name: "demo", model, tools, retry: { maxAttempts: 1 } });
    const [server, browser] = await Promise.all([example.serve({ agent }), Browser.launch()]);
    return new ChatPages({ work, book, server, browser, scripts });
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }

  /** Opens a new conversation, whose model follows the script. The test fails if the page reports an error. */
  async open(script: readonly ScriptItem[], url: string = this.#server.url): Promise<ChatPage> {
    const provider = scriptedProvider([...script]);
    this.#scripts.current = provider;
    const problems: string[] = [];
    const page = await this.#browser.open(problems);
    onTestFinished(async () => {
      // Browsers open six connections to a server, and each page of `web-chat` holds one.
      await page.close();
      expect(problems).toEqual([]);
    });
    await page.goto(url);
    return new ChatPage(page, provider);
  }

  /** Starts the example as a user does, and asks its demo model. */
  async runCommand(name: Example["name"]): Promise<void> {
    const readme = readFileSync(join(root, "examples", name, "README.md"), "utf8");
    const [, command = ""] = /^```\n(.*)\n```$/m.exec(readme) ?? [];
    const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, ...plain } = process.env;
    const env = { ...plain, PORT: "0", NODE_OPTIONS: "" };
    const program = spawn(command, { cwd: root, env, shell: true, detached: true });
    // The shell, npm and the server are one group.
    onTestFinished(() => void process.kill(-(program.pid ?? 0), "SIGKILL"));
    const url = await new Promise<string>((resolve, reject) => {
      createInterface(program.stdout).on("line", (line) => {
        if (line.startsWith("The page is at ")) resolve(line.slice("The page is at ".length));
      });
      program.once("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
    });
    const chat = await this.open([], url);
    await chat.button("What time is it here?").click();
    await chat.rest("where you are");
  }
}

interface Parts {
  readonly work: ChatPages["work"];
  readonly book: ChatPages["book"];
  readonly server: PageServer;
  readonly browser: Browser;
  readonly scripts: { current: ScriptedProvider };
}

/** What a user sees and does. Both pages have the same roles and labels. */
class ChatPage {
  readonly page: Page;
  readonly provider: ScriptedProvider;

  constructor(page: Page, provider: ScriptedProvider) {
    this.page = page;
    this.provider = provider;
  }

  get field(): Locator {
    return this.page.getByRole("textbox", { name: "Message" });
  }

  get log(): Locator {
    return this.page.getByRole("log", { name: "Conversation" });
  }

  get replies(): Locator {
    return this.log.getByRole("article", { name: "Assistant" });
  }

  get approval(): Locator {
    return this.log.getByRole("region", { name: "Approval of book" });
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  async say(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press("Enter");
  }

  /** Waits until no reply is being written, and the conversation has this text. */
  async rest(text: string): Promise<void> {
    await this.log.getByText(text).last().waitFor();
    await this.button("Send").waitFor();
  }
}
