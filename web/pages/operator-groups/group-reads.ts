import type { Answer, Name } from "../../api/client.ts";
import type { operatorGroupsSearch } from "../../app/search.ts";

export type Group = Answer<"GET /operator/groups">["groups"][number];
export type GroupsSearch = ReturnType<typeof operatorGroupsSearch>;

/** What is read anew after any change of a group. */
export const GROUP_READS: readonly Name[] = [
  "GET /operator/groups",
  "GET /operator/models",
  "GET /operator/plans",
  "GET /operator/overview",
  "GET /groups",
  "GET /models",
  "GET /keys",
];

export function matching(groups: readonly Group[], { q = "" }: GroupsSearch): Group[] {
  const wanted = q.toLowerCase().split(/\s+/).filter(Boolean);
  return groups.filter(group => {
    const text = [group.name, group.description, ...group.models, ...group.matches].join(" ").toLowerCase();
    return wanted.every(word => text.includes(word));
  });
}
