import { createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Home } from "./home.tsx";
import { NotFound } from "./not-found.tsx";
import { OpenWaiting } from "./open-waiting.tsx";
import { PageCrash } from "./page-crash.tsx";
import { PageWaiting } from "./page-waiting.tsx";
import { rootRoute } from "./root.tsx";
import {
  accountSearch,
  accountsSearch,
  apiSearch,
  auditSearch,
  checkSearch,
  codesSearch,
  keysSearch,
  modelsSearch,
  operatorGroupsSearch,
  operatorModelsSearch,
  operatorPlansSearch,
  operatorUsageSearch,
  overviewSearch,
  settingsSearch,
  signInSearch,
  trySearch,
  upstreamsSearch,
  usageSearch,
  webhooksSearch,
} from "./search.ts";
import { SignedIn } from "./signed-in.tsx";
import { SignedInOrNot } from "./signed-in-or-not.tsx";

/** The map of the console: every page, its path and what fetches it. Each page is a file of its own in the build. */

const signedIn = createRoute({ getParentRoute: () => rootRoute, id: "signed-in", component: SignedIn });
const either = createRoute({ getParentRoute: () => rootRoute, id: "either", component: SignedInOrNot });

const home = createRoute({ getParentRoute: () => rootRoute, path: "/", component: Home });

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: "/keys",
  validateSearch: keysSearch,
  component: lazyRouteComponent(() => import("../pages/keys/page.tsx"), "Page"),
});

const models = createRoute({
  getParentRoute: () => signedIn,
  path: "/models",
  validateSearch: modelsSearch,
  component: lazyRouteComponent(() => import("../pages/models/page.tsx"), "Page"),
});

const usage = createRoute({
  getParentRoute: () => signedIn,
  path: "/usage",
  validateSearch: usageSearch,
  component: lazyRouteComponent(() => import("../pages/usage/page.tsx"), "Page"),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: "/account",
  validateSearch: accountSearch,
  component: lazyRouteComponent(() => import("../pages/account/page.tsx"), "Page"),
});

const check = createRoute({
  getParentRoute: () => either,
  path: "/check",
  validateSearch: checkSearch,
  component: lazyRouteComponent(() => import("../pages/check/page.tsx"), "Page"),
});

const operatorOverview = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/overview",
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import("../pages/operator-overview/page.tsx"), "Page"),
});

const operatorUpstreams = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/upstreams",
  validateSearch: upstreamsSearch,
  component: lazyRouteComponent(() => import("../pages/operator-upstreams/page.tsx"), "Page"),
});

const operatorAccounts = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/accounts",
  validateSearch: accountsSearch,
  component: lazyRouteComponent(() => import("../pages/operator-accounts/page.tsx"), "Page"),
});

const operatorUsage = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/usage",
  validateSearch: operatorUsageSearch,
  component: lazyRouteComponent(() => import("../pages/operator-usage/page.tsx"), "Page"),
});

const operatorModels = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/models",
  validateSearch: operatorModelsSearch,
  component: lazyRouteComponent(() => import("../pages/operator-models/page.tsx"), "Page"),
});

const operatorGroups = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/groups",
  validateSearch: operatorGroupsSearch,
  component: lazyRouteComponent(() => import("../pages/operator-groups/page.tsx"), "Page"),
});

const operatorPlans = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/plans",
  validateSearch: operatorPlansSearch,
  component: lazyRouteComponent(() => import("../pages/operator-plans/page.tsx"), "Page"),
});

const operatorCodes = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/codes",
  validateSearch: codesSearch,
  component: lazyRouteComponent(() => import("../pages/operator-codes/page.tsx"), "Page"),
});

const operatorSettings = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/settings",
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import("../pages/operator-settings/page.tsx"), "Page"),
});

const operatorWebhooks = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/webhooks",
  validateSearch: webhooksSearch,
  component: lazyRouteComponent(() => import("../pages/operator-webhooks/page.tsx"), "Page"),
});

const operatorAudit = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/audit",
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import("../pages/operator-audit/page.tsx"), "Page"),
});

const tryIt = createRoute({
  getParentRoute: () => signedIn,
  path: "/try",
  validateSearch: trySearch,
  component: lazyRouteComponent(() => import("../pages/try/page.tsx"), "Page"),
});

const operatorTokens = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/tokens",
  component: lazyRouteComponent(() => import("../pages/operator-tokens/page.tsx"), "Page"),
});

const operatorApi = createRoute({
  getParentRoute: () => signedIn,
  path: "/operator/api",
  validateSearch: apiSearch,
  component: lazyRouteComponent(() => import("../pages/operator-api/page.tsx"), "Page"),
});

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: signInSearch,
  pendingComponent: OpenWaiting,
  component: lazyRouteComponent(() => import("../pages/sign-in/page.tsx"), "Page"),
});

const register = createRoute({
  getParentRoute: () => rootRoute,
  path: "/register",
  pendingComponent: OpenWaiting,
  component: lazyRouteComponent(() => import("../pages/register/page.tsx"), "Page"),
});

const setup = createRoute({
  getParentRoute: () => rootRoute,
  path: "/setup",
  pendingComponent: OpenWaiting,
  component: lazyRouteComponent(() => import("../pages/link/page.tsx"), "Page"),
});

const invitation = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invitation",
  pendingComponent: OpenWaiting,
  component: lazyRouteComponent(() => import("../pages/link/page.tsx"), "Page"),
});

const reset = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reset",
  pendingComponent: OpenWaiting,
  component: lazyRouteComponent(() => import("../pages/link/page.tsx"), "Page"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    signedIn.addChildren([
      keys,
      models,
      usage,
      account,
      operatorOverview,
      operatorUpstreams,
      operatorAccounts,
      operatorModels,
      operatorGroups,
      operatorPlans,
      operatorCodes,
      operatorUsage,
      operatorSettings,
      operatorWebhooks,
      operatorAudit,
      operatorTokens,
      operatorApi,
      tryIt,
    ]),
    either.addChildren([check]),
    signIn,
    register,
    setup,
    invitation,
    reset,
  ]),
  basepath: "/console",
  trailingSlash: "never",
  defaultPreload: "intent",
  defaultPendingMs: 150,
  defaultPendingComponent: PageWaiting,
  defaultErrorComponent: PageCrash,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
