/** What commands get of the environment of this process: not its keys. A command may be one that a web page asked for. */

const secretName =
  /(?:^|_)(?:API_?KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASS|PWD|CREDENTIALS?|PAT)(?:_|$)|APIKEY|PASSWORD/i;
const plainNames = new Set(["PWD", "OLDPWD"]);
/** An address with a name and a password in it. */
const secretValue = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:[^/@\s]+@/i;

export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        plainNames.has(name) || (!secretName.test(name) && !secretValue.test(value ?? "")),
    ),
  );
}
