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

/** Environment variables that commands get, and those that they do not get. */
export interface EnvironmentChoice {
  /** Names of variables that are passed although they look like secrets. */
  readonly passEnv?: readonly string[] | undefined;
  /** Names of variables that are not passed although they do not look like secrets. */
  readonly withholdEnv?: readonly string[] | undefined;
}

export function commandEnvironment(
  env: NodeJS.ProcessEnv,
  choice: EnvironmentChoice = {},
): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name, value]) => isKept(name, value, choice));
  return { ...Object.fromEntries(kept), ...unattended };
}

/** Returns the names of variables that are set but not passed to commands, in order. */
export function withheldNames(
  env: NodeJS.ProcessEnv,
  choice: EnvironmentChoice = {},
): readonly string[] {
  return Object.entries(env)
    .filter(([name, value]) => !isKept(name, value, choice))
    .map(([name]) => name)
    .toSorted();
}

/** Returns the names that a text mentions. */
export function mentionedIn(text: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
}

function isKept(
  name: string,
  value: string | undefined,
  { passEnv = [], withholdEnv = [] }: EnvironmentChoice,
): boolean {
  if (plainNames.has(name) || passEnv.includes(name)) return true;
  return !withholdEnv.includes(name) && !secretName.test(name) && !secretValue.test(value ?? "");
}
