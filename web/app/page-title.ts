import { useEffect } from "react";

/** The name of the browser's tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Wicketgate`;
  }, [title]);
}
