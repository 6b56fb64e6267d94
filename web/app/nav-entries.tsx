import {
  Boxes,
  ChartColumn,
  ChartNoAxesCombined,
  CircleUser,
  FlaskConical,
  FolderTree,
  Gauge,
  KeyRound,
  PlugZap,
  Repeat,
  ScrollText,
  Settings,
  Tags,
  Terminal,
  Ticket,
  Users,
  Waypoints,
  Webhook,
} from "lucide-react";
import type { ReactNode } from "react";

type Word =
  | "keys"
  | "models"
  | "usage"
  | "check"
  | "account"
  | "overview"
  | "upstreams"
  | "accounts"
  | "prices"
  | "groups"
  | "plans"
  | "codes"
  | "houseUsage"
  | "settings"
  | "webhooks"
  | "audit"
  | "tokens"
  | "tryIt"
  | "keysShort"
  | "checkShort";
type Path =
  | "/keys"
  | "/models"
  | "/usage"
  | "/check"
  | "/account"
  | "/try"
  | "/operator/overview"
  | "/operator/upstreams"
  | "/operator/accounts"
  | "/operator/models"
  | "/operator/groups"
  | "/operator/plans"
  | "/operator/codes"
  | "/operator/usage"
  | "/operator/settings"
  | "/operator/webhooks"
  | "/operator/audit"
  | "/operator/tokens";

export type NavEntry = { to: Path; word: Word; short: Word; icon: ReactNode };

const icon = { size: 17, strokeWidth: 1.8, "aria-hidden": true } as const;

export const HOLDER_PAGES: readonly NavEntry[] = [
  { to: "/keys", word: "keys", short: "keysShort", icon: <KeyRound {...icon} /> },
  { to: "/models", word: "models", short: "models", icon: <Boxes {...icon} /> },
  { to: "/usage", word: "usage", short: "usage", icon: <ChartColumn {...icon} /> },
  { to: "/check", word: "check", short: "checkShort", icon: <PlugZap {...icon} /> },
  { to: "/account", word: "account", short: "account", icon: <CircleUser {...icon} /> },
];

/** For everybody too, but without a place in the bar of a phone. */
export const MORE_PAGES: readonly NavEntry[] = [
  { to: "/try", word: "tryIt", short: "tryIt", icon: <FlaskConical {...icon} /> },
];

export const OPERATOR_PAGES: readonly NavEntry[] = [
  { to: "/operator/overview", word: "overview", short: "overview", icon: <Gauge {...icon} /> },
  { to: "/operator/upstreams", word: "upstreams", short: "upstreams", icon: <Waypoints {...icon} /> },
  { to: "/operator/models", word: "prices", short: "prices", icon: <Tags {...icon} /> },
  { to: "/operator/groups", word: "groups", short: "groups", icon: <FolderTree {...icon} /> },
  { to: "/operator/plans", word: "plans", short: "plans", icon: <Repeat {...icon} /> },
  { to: "/operator/accounts", word: "accounts", short: "accounts", icon: <Users {...icon} /> },
  { to: "/operator/codes", word: "codes", short: "codes", icon: <Ticket {...icon} /> },
  { to: "/operator/usage", word: "houseUsage", short: "houseUsage", icon: <ChartNoAxesCombined {...icon} /> },
  { to: "/operator/audit", word: "audit", short: "audit", icon: <ScrollText {...icon} /> },
  { to: "/operator/webhooks", word: "webhooks", short: "webhooks", icon: <Webhook {...icon} /> },
  { to: "/operator/tokens", word: "tokens", short: "tokens", icon: <Terminal {...icon} /> },
  { to: "/operator/settings", word: "settings", short: "settings", icon: <Settings {...icon} /> },
];
