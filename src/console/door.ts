import type { Desk } from "./api/visit.ts";
import { guarded } from "./door-headers.ts";
import { passwordKeeper } from "./sign-in/password.ts";

export type ConsoleHouse = Omit<Desk, "passwords"> & {
  /** Where the pages are built to. */
  pages: string;
};

type Answerer = (request: Request) => Promise<Response>;

/**
 * Everything under /console. What stands behind it is loaded when somebody first comes: a gateway that nobody looks at
 * does not pay for its console.
 */
export function consoleDoor(house: ConsoleHouse): Answerer {
  const desk: Desk = { ...house, passwords: passwordKeeper(house.randomBytes) };
  const api = once(async () => (await import("./api/app.ts")).consoleApi(desk));
  const pages = once(async () => (await import("./api/static.ts")).consolePages(house.pages));
  return async request => {
    const { pathname } = new URL(request.url);
    const isApi = pathname === "/console/api" || pathname.startsWith("/console/api/");
    const answer = pathname === "/console" ? inside : await (isApi ? api : pages)();
    return guarded(await answer(request), { isApi, root: house.publicUrl(request) });
  };
}

/** Relative, so that it holds whatever path a proxy puts before it. */
async function inside(): Promise<Response> {
  return new Response(null, { status: 308, headers: { location: "console/" } });
}

function once(load: () => Promise<Answerer>): () => Promise<Answerer> {
  let loaded: Promise<Answerer> | null = null;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
