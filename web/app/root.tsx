import { createRootRoute, Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { Toasts } from "../parts/toasts.tsx";
import { BrandWatch } from "./brand.tsx";
import { isIdentityAsked, onIdentityAsked } from "./identity-gate.ts";

const ConfirmIdentity = lazy(async () => ({
  default: (await import("./confirm-identity.tsx")).ConfirmIdentity,
}));

function Root() {
  const isAsked = useSyncExternalStore(onIdentityAsked, isIdentityAsked);
  return (
    <>
      <BrandWatch />
      <Outlet />
      <Toasts />
      {isAsked ? (
        <Suspense fallback={null}>
          <ConfirmIdentity />
        </Suspense>
      ) : null}
    </>
  );
}

export const rootRoute = createRootRoute({ component: Root });
