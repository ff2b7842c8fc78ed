/** Worker that lets a test call Durable Objects over HTTP: `/<binding>/<name of the object>`. */
import { IndexObject as Index } from "@capstan/stores/durable-object";
import type { ObjectNamespace } from "@capstan/stores/durable-object";

export { SessionObject } from "@capstan/stores/durable-object";

/** An index that refuses reports after a request of `…/away`, until workerd is started again. */
export class IndexObject {
  readonly #index: Index;
  #isAway = false;

  constructor(...args: ConstructorParameters<typeof Index>) {
    this.#index = new Index(...args);
  }

  async fetch(request: Request): Promise<Response> {
    if (request.url.endsWith("/away")) {
      this.#isAway = true;
      return new Response();
    }
    const body = await request.clone().text();
    if (this.#isAway && body.includes('"report"')) return new Response("", { status: 503 });
    return this.#index.fetch(request);
  }

  alarm(): Promise<void> {
    return this.#index.alarm();
  }
}

/** How often the index has said that sessions are due. */
let wakes = 0;

// oxlint-disable-next-line import/no-default-export -- workerd calls the default export
export default {
  async fetch(request: Request, env: Record<string, ObjectNamespace>): Promise<Response> {
    const [, binding = "", name = ""] = new URL(request.url).pathname.split("/");
    if (binding === "due") wakes += 1;
    if (binding === "due" || binding === "wakes") return Response.json(wakes);
    const object = env[binding]?.getByName(decodeURIComponent(name));
    if (object === undefined) return new Response("", { status: 404 });
    return object.fetch(request.url, { method: "POST", body: await request.text() });
  },
};
