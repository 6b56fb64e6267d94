import type { Answer } from "../../api/client.ts";
import { useApi } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Panel } from "../../parts/panel.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

export type Invitation = Answer<"GET /operator/invitations">["invitations"][number];

export function InvitationList({ onTakeBack }: { onTakeBack: (invitation: Invitation) => void }) {
  const say = useWords(words);
  const { data, error, refetch } = useApi("GET /operator/invitations");
  return (
    <Panel title={say("invitations")} description={say("invitationsText")}>
      {data === undefined && error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {data === undefined && error === null ? <Skeleton className="h-10 w-full" /> : null}
      {data?.invitations.length === 0 ? <p className="py-2 text-ink-3">{say("invitationsEmpty")}</p> : null}
      <ul>
        {data?.invitations.map(invitation => (
          <li
            key={invitation.id}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-line border-b py-2.5 last:border-0"
          >
            <span className="min-w-0">
              <span className="flex flex-wrap items-center gap-2">
                <span className="break-all font-medium">{invitation.email}</span>
                {invitation.role === "operator" ? <Tag>{say("operator")}</Tag> : null}
              </span>
              <span className="text-ink-3 text-xs">
                {say("invitedBy", { by: invitation.by })} · <RelativeTime at={invitation.created_at} /> ·{" "}
                {say("expires")} <RelativeTime at={invitation.expires_at} />
              </span>
            </span>
            <Button size="sm" tone="bad" onClick={() => onTakeBack(invitation)}>
              {say("takeBack")}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
