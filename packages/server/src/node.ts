/** `@capstan/server/node`: a server on a port of Node's. */
export { serveNode } from "./serve-node.ts";
export type { NodeServer, ServeOptions } from "./serve-node.ts";
