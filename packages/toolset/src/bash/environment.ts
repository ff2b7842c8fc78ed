/** Environment for commands: without this process's keys, because a web page may have suggested the command, and so that nothing waits for a terminal. */

const secretName =
  /(?:^|_)(?:API_?KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|PAT|SK)(?:_|$)|APIKEY|PASSWORD/i;
const plainNames = new Set(["PWD", "OLDPWD"]);
/** A URL with a user and a password. */
const secretValue = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:[^/@\s]+@/i;

/** Editors and pagers would wait for a terminal, and test runners would watch files. */
const unattended: NodeJS.ProcessEnv = {
  CI: "true",
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
};

/** `passed` names variables that are passed although they look like secrets. */
export function commandEnvironment(
  env: NodeJS.ProcessEnv,
  passed: readonly string[] = [],
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name, value]) => isKept(name, value, passed));
  return { ...Object.fromEntries(kept), ...unattended };
}

/** Names of variables that are set but not passed, and that a text mentions. */
export function missedIn(
  text: string,
  env: NodeJS.ProcessEnv,
  passed: readonly string[] = [],
): readonly string[] {
  return Object.entries(env)
    .filter(([name, value]) => !isKept(name, value, passed))
    .map(([name]) => name)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(text));
}

function isKept(name: string, value: string | undefined, passed: readonly string[]): boolean {
  if (plainNames.has(name) || passed.includes(name)) return true;
  return !secretName.test(name) && !secretValue.test(value ?? "");
}
