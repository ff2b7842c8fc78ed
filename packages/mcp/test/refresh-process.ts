/** A process that asks for the token of a server once, when it is told to. Arguments: the file of logins and the address. */
import { fileTokenStore, mcpLogins } from "@capstan/mcp";

const [path = "", url = ""] = process.argv.slice(2);
const provider = mcpLogins({ store: fileTokenStore(path) }).provider({ name: "srv", url });
process.stdout.write("ready\n");
process.stdin.once("data", () => {
  provider.token().then(
    (token) => process.stdout.end(`${token}\n`, () => process.exit(0)),
    (thrown: unknown) => process.stdout.end(`${String(thrown)}\n`, () => process.exit(1)),
  );
});
