import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";

export const textLinkClass =
  "rounded-sm font-medium text-accent underline decoration-accent/35 underline-offset-3 hover:decoration-accent";

function Anchor({ className, ...rest }: ComponentProps<"a">) {
  return <a {...rest} className={classNames(textLinkClass, className)} />;
}

const RouterAnchor = createLink(Anchor);

/** A link within a sentence. */
export const TextLink: LinkComponent<typeof Anchor> = props => <RouterAnchor preload="intent" {...props} />;
