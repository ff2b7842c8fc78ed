/** `capstan mcp login` and `logout`, in real processes, against a real authorization server. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { loginWorld } from "../../mcp/test/login-world.ts";
import { files, spawnCommand, temporaryHome } from "./spawn-command.ts";
import type { RunningCommand } from "./spawn-command.ts";

const tokensFile = ".local/share/capstan/mcp-logins.json";

/** A home whose settings have these servers. */
async function homeWith(servers: object): Promise<string> {
  const home = temporaryHome();
  const path = join(home, ".config/capstan/config.json");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify({ mcp: { servers } }));
  return home;
}

/** A browser whose user agrees to everything. */
async function browserIn(home: string): Promise<string> {
  const path = join(home, "browser.mjs");
  await writeFile(path, `#!${process.execPath}\nawait fetch(process.argv[2]);\n`);
  await chmod(path, 0o755);
  return path;
}

const capstan = (
  home: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = {},
): RunningCommand => spawnCommand(files.main, ["mcp", ...words], { home, cwd: home, env });

test("a user logs in with the browser, is shown as logged in, and logs out", async () => {
  await using world = await loginWorld();
  const home = await homeWith({ srv: { url: world.wire.url } });
  const before = capstan(home, ["list"]);
  await before.ended;
  expect(before.stdout()).toMatch(/srv: failed.*capstan mcp login srv/);

  const login = capstan(home, ["login", "srv"], { BROWSER: await browserIn(home) });
  expect(await login.ended).toMatchObject({ exitCode: 0 });
  expect(login.stdout()).toMatch(new RegExp(`^${world.as.issuer}/authorize\\?\\S+\n$`));
  expect(login.stderr()).toContain(`srv: logged in at ${world.as.issuer} until `);

  const listed = capstan(home, ["list"]);
  await listed.ended;
  expect(listed.stdout()).toMatch(
    /srv: ready, 1 tool, .*logged in at \S+ until 20\d\d-\d\d-\d\d \d\d:\d\d UTC, renewed/,
  );
  const doctor = spawnCommand(files.main, ["doctor"], { home, cwd: home });
  await doctor.ended;
  expect(doctor.stdout()).toMatch(/ok +MCP server srv: 1 tools, logged in at/);

  const logout = capstan(home, ["logout", "srv"]);
  expect(await logout.ended).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(home, tokensFile), "utf8")).not.toContain("access-");
  const again = capstan(home, ["logout", "srv"]);
  expect(await again.ended).toMatchObject({ exitCode: 0 });
  expect(again.stderr()).toContain("there was no login");
});

test.each([
  ["--no-browser", ["--no-browser"], { BROWSER: "/no/such/browser" }],
  ["over SSH", [], { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }],
  ["without a display", [], {}],
  ["with a browser that cannot be started", [], { BROWSER: "/no/such/browser" }],
])(
  "%s, the address and the way to the port are printed, and the login is waited for",
  async (_, words, env) => {
    await using world = await loginWorld();
    const home = await homeWith({ srv: { url: world.wire.url } });
    const login = capstan(home, ["login", "srv", ...words], env);
    await login.seen("waiting for the login");
    await login.seen("/authorize?");
    const url = new URL(login.stdout().trim());
    const { port } = new URL(url.searchParams.get("redirect_uri") ?? "");

    expect(login.stderr()).toContain(`ssh -L ${port}:127.0.0.1:${port} `);
    await fetch(url);
    expect(await login.ended).toMatchObject({ exitCode: 0 });
  },
);

test("Ctrl+C ends a login, and nothing is stored", async () => {
  await using world = await loginWorld();
  const home = await homeWith({ srv: { url: world.wire.url } });
  const login = capstan(home, ["login", "srv", "--no-browser"]);
  await login.seen("waiting for the login");
  login.child.kill("SIGINT");

  expect(await login.ended).toEqual({ exitCode: 130, signal: null });
  await expect(readFile(join(home, tokensFile), "utf8")).rejects.toThrow("ENOENT");
});

test("a user who refuses, and a server without OAuth, are failures with a reason", async () => {
  await using world = await loginWorld();
  const home = await homeWith({
    srv: { url: world.wire.url },
    gone: { url: "http://127.0.0.1:9/mcp" },
  });
  world.as.behaviour.redirect = { code: "", error: "access_denied", error_description: "No!" };
  const refused = capstan(home, ["login", "srv"], { BROWSER: await browserIn(home) });
  expect(await refused.ended).toMatchObject({ exitCode: 1 });
  expect(refused.stderr()).toContain('The login at the MCP server "srv" failed');
  expect(refused.stderr()).toContain("access_denied: No!");

  const gone = capstan(home, ["login", "gone", "--no-browser"]);
  expect(await gone.ended).toMatchObject({ exitCode: 1 });
  expect(gone.stderr()).toContain('The login at the MCP server "gone" failed');
});

test("a file of logins that cannot be read is named before the user is asked, and stays", async () => {
  await using world = await loginWorld();
  const home = await homeWith({ srv: { url: world.wire.url } });
  await mkdir(dirname(join(home, tokensFile)), { recursive: true });
  await writeFile(join(home, tokensFile), "no JSON");
  const login = capstan(home, ["login", "srv", "--no-browser"]);

  expect(await login.ended).toMatchObject({ exitCode: 1 });
  expect(login.stdout()).toBe("");
  expect(login.stderr()).toContain("mcp-logins.json cannot be read");
  expect(await readFile(join(home, tokensFile), "utf8")).toBe("no JSON");
});

test.each([
  [["login", "absent"], "No MCP server absent"],
  [["logout", "absent"], "No MCP server absent"],
  [["login", "local"], "is a program on this machine"],
  [["login", "token"], "has an Authorization header"],
  [["login", "unset"], "NO_SUCH_HOST is not set"],
  [["login"], "Usage: capstan mcp"],
])("a wrong use is explained: %j", async (words, message) => {
  const home = await homeWith({
    local: { command: "x" },
    token: { url: "http://127.0.0.1:9/", headers: { Authorization: "Bearer x" } },
    unset: { url: "${NO_SUCH_HOST}/mcp" },
  });
  const command = capstan(home, words);

  expect(await command.ended).toMatchObject({ exitCode: 2 });
  expect(command.stderr()).toContain(message);
});

test("the settings choose the client, with a secret of the environment, and the port", async () => {
  await using world = await loginWorld();
  world.as.behaviour.metadata = { token_endpoint_auth_methods_supported: ["client_secret_basic"] };
  const oauth = {
    clientId: "mine",
    clientSecret: "${SECRET}",
    scope: "read",
    redirectPort: 47_651,
  };
  const home = await homeWith({ srv: { url: world.wire.url, oauth } });
  const env = { SECRET: "s3cret", BROWSER: await browserIn(home) };
  const login = capstan(home, ["login", "srv"], env);

  expect(await login.ended).toMatchObject({ exitCode: 0 });
  expect(world.as.seenAt("/token")[0]?.authorization).toBe(`Basic ${btoa("mine:s3cret")}`);
  expect(login.stdout()).toContain(encodeURIComponent("127.0.0.1:47651"));
});
