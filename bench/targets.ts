import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, type Server, untilReady } from "./processes.ts";
import type { Site } from "./site.ts";

/** Something that wrk is pointed at. `direct` is the mock upstream itself. */
export type TargetName = "direct" | "nginx" | "wicketgate";
export type Target = { name: TargetName; root: string; server: Server };

/** Starts the upstream that answers at once, or each whole answer after a delay. */
export async function startMock(site: Site, delayMs = 0): Promise<Target> {
  const port = freePort();
  const server = site.processes.start({
    name: "the mock upstream",
    command: [process.execPath, join(import.meta.dir, "mock-upstream.ts"), String(port), String(delayMs)],
    env: {},
    logFile: join(site.dir, `mock-${port}.log`),
  });
  return ready({ name: "direct", root: `http://127.0.0.1:${port}`, server }, "/");
}

/** Starts nginx as a bare proxy: one worker, its own configuration, nothing of the system's. */
export async function startNginx(
  site: Site,
  { nginx, upstream }: { nginx: string; upstream: Target },
): Promise<Target> {
  const port = freePort();
  const configFile = join(site.dir, "nginx.conf");
  writeFileSync(configFile, nginxConfig({ dir: site.dir, port, upstream: new URL(upstream.root).host }));
  const server = site.processes.start({
    name: "nginx",
    command: [nginx, "-e", "stderr", "-p", site.dir, "-c", configFile],
    env: {},
    logFile: join(site.dir, "nginx.log"),
  });
  return ready({ name: "nginx", root: `http://127.0.0.1:${port}`, server }, "/");
}

export async function ready(target: Target, path: string): Promise<Target> {
  await untilReady(target.server, target.root + path);
  return target;
}

function nginxConfig({ dir, port, upstream }: { dir: string; port: number; upstream: string }): string {
  const tempPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    name => `  ${name}_temp_path ${join(dir, `nginx-${name}`)};`,
  );
  return `
daemon off;
worker_processes 1;
pid ${join(dir, "nginx.pid")};
error_log stderr warn;
events { worker_connections 4096; }
http {
  access_log off;
  client_max_body_size 0;
  client_body_buffer_size 4m;
  keepalive_requests 100000000;
${tempPaths.join("\n")}
  upstream mock {
    server ${upstream};
    keepalive 256;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://mock;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`;
}
