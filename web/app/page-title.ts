import { useEffect } from "react";
import { useBrand } from "./brand.tsx";

/** The name of the browser's tab. */
export function usePageTitle(title: string): void {
  const { name } = useBrand();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}
