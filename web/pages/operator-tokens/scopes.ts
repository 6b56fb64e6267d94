export const SCOPES = ["read", "write", "write-all"] as const;

export const SCOPE_WORDS = {
  read: { title: "scopeRead", detail: "scopeReadText" },
  write: { title: "scopeWrite", detail: "scopeWriteText" },
  "write-all": { title: "scopeAll", detail: "scopeAllText" },
} as const;
