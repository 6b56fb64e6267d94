import {
  Boxes,
  ChartColumn,
  CircleUser,
  FlaskConical,
  KeyRound,
  PlugZap,
  ScrollText,
  Terminal,
  Ticket,
  Users,
} from "lucide-react";
import type { ReactNode } from "react";

type Word =
  | "keys"
  | "models"
  | "usage"
  | "check"
  | "account"
  | "accounts"
  | "codes"
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
  | "/operator/accounts"
  | "/operator/codes"
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
  { to: "/operator/accounts", word: "accounts", short: "accounts", icon: <Users {...icon} /> },
  { to: "/operator/codes", word: "codes", short: "codes", icon: <Ticket {...icon} /> },
  { to: "/operator/audit", word: "audit", short: "audit", icon: <ScrollText {...icon} /> },
  { to: "/operator/tokens", word: "tokens", short: "tokens", icon: <Terminal {...icon} /> },
];
