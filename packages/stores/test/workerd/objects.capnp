using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "objects", worker = .objects),
    (name = "disk", disk = (writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "objects")],
);

const objects :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [
    (className = "SessionObject", uniqueKey = "sessions", enableSql = true),
    (className = "IndexObject", uniqueKey = "index", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "CAPSTAN_SESSIONS", durableObjectNamespace = "SessionObject"),
    (name = "CAPSTAN_INDEX", durableObjectNamespace = "IndexObject"),
    (name = "CAPSTAN_WAKE", service = "objects"),
  ],
);
