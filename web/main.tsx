// First: it takes a token out of the address before the router reads it.
import "./browser/fragment.ts";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { setCallHooks } from "./api/call.ts";
import { createQueries } from "./api/query.ts";
import { sessionQuery } from "./api/session.ts";
import { focusOnArrival } from "./app/arrival.ts";
import { askIdentity } from "./app/identity-gate.ts";
import { router } from "./app/router.tsx";
import "./styles/app.css";
import { LanguageProvider } from "./words/language-provider.tsx";

const queries = createQueries();
setCallHooks({
  onSignedOut: () => {
    queries.setQueryData(sessionQuery.queryKey, null);
  },
  confirmIdentity: askIdentity,
});
// Asked for while the page's own file is still on its way.
void queries.prefetchQuery(sessionQuery);
focusOnArrival(router);

const element = document.getElementById("app");
if (element !== null) {
  createRoot(element).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <LanguageProvider>
            <RouterProvider router={router} />
          </LanguageProvider>
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
