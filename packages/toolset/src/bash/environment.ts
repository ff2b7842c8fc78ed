/** Environment for commands: without this process's keys, because a web page may have suggested the command. */

const secretName =
  /(?:^|_)(?:API_?KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|PAT)(?:_|$)|APIKEY|PASSWORD/i;
const plainNames = new Set(["PWD", "OLDPWD"]);
/** A URL with a user and a password. */
const secretValue = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:[^/@\s]+@/i;

export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        plainNames.has(name) || (!secretName.test(name) && !secretValue.test(value ?? "")),
    ),
  );
}
