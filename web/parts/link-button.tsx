import { createLink, type LinkComponent } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { type ButtonSize, type ButtonTone, buttonClass } from "./button.tsx";
import { classNames } from "./class-names.ts";

type Props = ComponentProps<"a"> & { tone?: ButtonTone; size?: ButtonSize; icon?: ReactNode };

function Anchor({ tone, size, icon, children, className, ...rest }: Props) {
  return (
    <a {...rest} className={classNames(buttonClass(tone, size), className)}>
      {icon}
      {children}
    </a>
  );
}

const RouterAnchor = createLink(Anchor);

/** Goes to a page and looks like a button. */
export const LinkButton: LinkComponent<typeof Anchor> = props => <RouterAnchor preload="intent" {...props} />;
