import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { userFolders } from "../../src/config/folders.ts";
import { surroundings, userFile } from "./surroundings.ts";

test.each([
  [{ CAPSTAN_MODEL: "a b" }, "CAPSTAN_MODEL must be the name of a model, such as vendor/id"],
  [
    { CAPSTAN_THINKING: "much" },
    'CAPSTAN_THINKING must be one of off, minimal, low, medium, high, xhigh, max, not "much"',
  ],
  [{ CAPSTAN_MAX_COST: "cheap" }, "CAPSTAN_MAX_COST must be a number of US dollars"],
  [{ CAPSTAN_MAX_COST: "0x10" }, "CAPSTAN_MAX_COST must be a number of US dollars"],
  [{ CAPSTAN_MAX_COST: "0" }, "CAPSTAN_MAX_COST must be above 0"],
  [{ CAPSTAN_MAX_STEPS: "1.5" }, "CAPSTAN_MAX_STEPS must be a whole number from 1 to 10000"],
  [{ CAPSTAN_STORE: "~/x.db" }, "CAPSTAN_STORE must not start with ~"],
])("the variable %j is an error that names it", async (env, message) => {
  const { refuse } = await surroundings();

  expect(await refuse({ env })).toContain(message);
});

test.each([
  [{ model: "" }, "--model must be the name of a model"],
  [{ thinking: "" }, "--thinking must be one of off, minimal"],
  [{ maxCost: "-1" }, '--max-cost must be a number of US dollars, not "-1"'],
  [{ maxCost: "1e3" }, "--max-cost must be a number of US dollars"],
  [{ maxCost: "99999999" }, "--max-cost must be at most 1000000"],
  [
    { allow: ["edit", "bsh(npm test)"] },
    '--allow: "bsh(npm test)" is not a valid rule: unknown tool bsh: did you mean bash?',
  ],
])("the flags %j are an error that names the flag", async (flags, message) => {
  const { refuse } = await surroundings();

  expect(await refuse({ flags })).toContain(message);
});

test("a variable that is set to nothing is not set", async () => {
  const { load } = await surroundings({ [userFile]: { model: "fast" } });

  const { settings } = await load({ env: { CAPSTAN_MODEL: "", CAPSTAN_MAX_COST: "" } });

  expect(settings.model).toBe("fast");
  expect(settings.maxCost).toBeUndefined();
});

test("a file that CAPSTAN_CONFIG names must be there", async () => {
  const { refuse, root } = await surroundings();
  const folders = userFolders({ CAPSTAN_CONFIG: join(root, "gone.json") }, "linux", root);

  const message = await refuse({ folders, env: { CAPSTAN_CONFIG: "gone.json" } });

  expect(message).toBe("CAPSTAN_CONFIG names gone.json, which does not exist");
});

test("a working folder that is not there is told", async () => {
  const { refuse } = await surroundings();

  expect(await refuse({ cwd: "gone" })).toBe("Working folder not found: gone");
});

test("the user's folders are those of the system, unless variables name others", () => {
  const env = { XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d" };
  const windows = { APPDATA: "C:\\A", LOCALAPPDATA: "C:\\L" };

  expect(userFolders({}, "linux", "/home/me")).toEqual({
    configFile: "/home/me/.config/capstan/config.json",
    dataFolder: "/home/me/.local/share/capstan",
  });
  expect(userFolders(env, "darwin", "/home/me")).toEqual({
    configFile: "/c/capstan/config.json",
    dataFolder: "/d/capstan",
  });
  expect(userFolders({ XDG_DATA_HOME: "relative" }, "linux", "/home/me").dataFolder).toBe(
    "/home/me/.local/share/capstan",
  );
  expect(userFolders(windows, "win32", "C:\\Users\\me")).toEqual({
    configFile: "C:\\A\\capstan\\config.json",
    dataFolder: "C:\\L\\capstan",
  });
  expect(userFolders({}, "win32", "C:\\Users\\me").configFile).toBe(
    "C:\\Users\\me\\AppData\\Roaming\\capstan\\config.json",
  );
  expect(
    userFolders({ ...env, CAPSTAN_CONFIG: "my.json", CAPSTAN_DATA: "/x" }, "linux", "/"),
  ).toEqual({
    configFile: resolve("my.json"),
    dataFolder: "/x",
  });
});
