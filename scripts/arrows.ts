// Which package may import which, and within a package which folder may use code of which. The lint rule `capstan/arrows` reads this table.

export interface Arrow {
  /** Packages of this repository that may be imported. */
  readonly packages: readonly string[];
  /** Other imports that are refused, and why. */
  readonly never?: readonly [imports: RegExp, why: string];
  /** For each folder of `src` the folders whose code it may import; types may come from any. Entries at the root of `src` may import all. */
  readonly folders?: Readonly<Record<string, readonly string[]>>;
}

export const arrows: Readonly<Record<string, Arrow>> = {
  kernel: {
    packages: [],
    never: [/^[^.]/, "kernel has no dependency and no node:* import."],
    folders: {
      contracts: [],
      errors: [],
      effects: ["errors"],
      journal: ["effects", "errors"],
      calls: ["effects", "errors"],
      reply: ["calls", "effects", "errors"],
      events: ["reply", "errors"],
      turn: ["reply", "calls", "journal", "events", "effects", "errors"],
    },
  },
  log: {
    packages: ["kernel"],
    never: [
      /^([^.@]|@[^c])/,
      "log has no dependency but @capstan/kernel, and no node:* import: it runs in browsers.",
    ],
    folders: {
      repository: [],
      entries: ["repository"],
      folds: ["entries", "repository"],
      events: ["entries", "folds"],
      wire: ["events"],
      chat: ["events"],
      memory: ["entries", "repository"],
      copies: ["entries", "folds", "repository"],
      "load-and-save": ["entries", "memory", "copies", "repository"],
    },
  },
  core: {
    packages: ["kernel", "log"],
    never: [
      /^node:(fs|net|http|http2|https|tls|dgram|dns|child_process|worker_threads|cluster|sqlite)(\/|$)/,
      "core never sees a file, a socket or a process.",
    ],
    folders: {
      errors: [],
      platform: [],
      schemas: [],
      otel: [],
      media: ["errors"],
      models: ["errors", "platform"],
      input: ["models", "errors"],
      tools: ["schemas", "errors", "platform"],
      outputs: ["tools", "models", "platform"],
      context: ["outputs"],
      compaction: ["context", "models", "errors", "platform"],
      agent: [
        ...["tools", "compaction", "context", "outputs", "models"],
        ...["input", "media", "errors", "platform"],
      ],
      following: ["input", "errors", "platform"],
      children: ["agent", "tools", "platform"],
      owner: ["children", "compaction", "context", "outputs", "models", "errors", "platform"],
      session: ["agent", "children", "following", "input", "media", "models", "errors", "platform"],
      host: [
        ...["session", "agent", "children", "following", "owner", "context", "outputs", "models"],
        ...["tools", "input", "errors", "platform"],
      ],
    },
  },
  providers: {
    packages: ["kernel"],
    folders: {
      sse: [],
      offline: [],
      wire: [],
      projection: ["wire"],
      transport: ["projection", "sse", "wire"],
      protocols: ["projection", "transport", "wire"],
      vendors: ["protocols", "transport"],
      "ai-sdk": ["projection", "protocols", "transport", "wire"],
    },
  },
  stores: {
    packages: ["log"],
    folders: {
      handle: [],
      text: [],
      watch: ["text"],
      rows: ["text"],
      fs: ["handle", "text", "watch"],
      tables: ["rows", "text"],
      sqlite: ["handle", "rows", "tables", "text", "watch"],
      "durable-object": ["handle", "rows", "tables", "text"],
      postgres: ["handle", "rows", "text", "watch"],
      shards: ["handle"],
    },
  },
  toolset: {
    packages: ["core", "kernel"],
    folders: {
      files: [],
      todos: [],
      edit: ["files"],
      find: ["files"],
      grep: ["find", "files"],
      sandbox: ["files"],
      bash: ["files", "sandbox"],
      fetch: ["files"],
      toolset: ["files", "edit", "find", "grep", "bash", "fetch", "todos"],
    },
  },
  mcp: {
    packages: ["core", "kernel"],
    folders: {
      errors: [],
      options: ["errors"],
      elicitation: [],
      sdk: [],
      auth: ["elicitation", "errors", "options", "sdk"],
      servers: ["auth", "elicitation", "errors", "options", "sdk"],
      calls: ["elicitation", "errors", "servers"],
      tools: ["calls", "elicitation", "errors", "options", "servers"],
      serving: ["errors", "sdk"],
    },
  },
  server: {
    packages: ["kernel", "log", "core"],
    folders: {
      guard: [],
      streaming: ["guard"],
      endpoints: ["guard", "streaming"],
      chat: ["endpoints", "guard", "streaming"],
      proxy: ["endpoints", "guard", "streaming"],
      server: ["chat", "endpoints", "guard", "proxy", "streaming"],
      node: ["guard", "streaming"],
    },
  },
  client: {
    packages: ["kernel", "log"],
    never: [/^node:/, "client runs in browsers: no node:* import."],
    folders: {
      errors: [],
      mirror: [],
      stream: ["errors"],
      "lent-tools": ["stream", "errors"],
      turns: ["lent-tools", "mirror", "stream", "errors"],
      tree: ["mirror", "stream"],
      session: ["turns", "tree", "lent-tools", "stream", "errors"],
      proxy: ["stream", "errors"],
      chat: ["session", "tree", "errors"],
    },
  },
  testing: {
    packages: ["kernel", "log", "core"],
    folders: {
      script: [],
      checkers: [],
      turns: [],
      tools: [],
      stores: [],
      emulators: ["script"],
      crash: ["checkers"],
    },
  },
  cli: {
    packages: [
      ...["kernel", "log", "core", "providers", "stores"],
      ...["toolset", "mcp", "server", "client", "testing"],
    ],
    folders: {
      errors: [],
      "command-line": ["errors"],
      print: ["command-line", "errors"],
      model: ["command-line", "errors"],
      permissions: ["command-line", "errors"],
      config: ["command-line", "errors", "permissions"],
      mcp: ["command-line", "config", "errors"],
      session: ["config", "errors", "mcp", "model", "permissions", "print"],
      doctor: ["command-line", "config", "errors", "mcp", "model"],
      terminal: ["command-line", "config", "errors", "model", "permissions", "print", "session"],
      commands: [
        ...["command-line", "config", "doctor", "errors", "mcp", "model", "print", "session"],
        "terminal",
      ],
      process: ["command-line", "commands", "errors", "print", "terminal"],
    },
  },
  "create-capstan": {
    packages: [],
    never: [/^[^.n]/, "create-capstan has no dependency: npm fetches it for one run."],
  },
};
