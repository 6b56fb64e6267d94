import { Users } from "lucide-react";
import { EmptyState } from "../parts/empty-state.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { useWords } from "../words/language-provider.tsx";
import { appWords } from "./app-words.ts";

/** In place of a page that a holder came to by its address. */
export function NotOperator({ title }: { title: string }) {
  const say = useWords(appWords);
  return (
    <>
      <PageHeader title={title} />
      <EmptyState icon={<Users size={20} aria-hidden />} title={say("notOperator")}>
        {say("notOperatorText")}
      </EmptyState>
    </>
  );
}
