import { useQuery } from "@tanstack/react-query";
import { queryOf } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Key } from "./draft.ts";
import { formWords } from "./form-words.ts";

type Props = {
  name: string;
  /** Of the keys that were there before. */
  known: ReadonlySet<string>;
  onRotate: (key: Key) => void;
  onDelete: (key: Key) => void;
};

/** The connection broke while a key was being made: looks whether it is there, and says what to do. */
export function MaybeMade({ name, known, onRotate, onDelete }: Props) {
  const say = useWords(formWords);
  const keys = useQuery({ ...queryOf("GET /keys"), staleTime: 0, refetchOnMount: "always", retry: 1 });
  const isFresh = keys.isFetchedAfterMount && !keys.isError && !keys.isFetching;
  const found = keys.data?.keys.find(
    key => key.state !== "deleted" && key.name === name.trim().normalize("NFC") && !known.has(key.id),
  );
  const text = () => {
    if (keys.isFetching) return say("maybeLooking");
    if (!isFresh) return say("maybeCannot", { name });
    return say(found === undefined ? "maybeNot" : "maybeMade", { name });
  };
  return (
    <Banner tone="warn" title={say("maybeTitle")}>
      <p>{say("maybeText")}</p>
      <p className="mt-1" aria-live="polite">
        {text()}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        {isFresh && found !== undefined ? (
          <>
            <Button size="sm" onClick={() => onRotate(found)}>
              {say("rotateIt")}
            </Button>
            <Button size="sm" tone="bad" onClick={() => onDelete(found)}>
              {say("deleteIt")}
            </Button>
          </>
        ) : (
          <Button size="sm" busy={keys.isFetching} onClick={() => void keys.refetch()}>
            {say("look")}
          </Button>
        )}
      </div>
    </Banner>
  );
}
