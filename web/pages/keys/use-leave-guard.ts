import { useBlocker } from "@tanstack/react-router";

/**
 * Leaving would lose a string that nobody has copied: the browser's own ways out ask, and a way to another page leads
 * back to where it can be copied. Whoever was signed out has to sign in first either way.
 */
export function useLeaveGuard(isOn: boolean, onLeave: () => void): void {
  useBlocker({
    disabled: !isOn,
    enableBeforeUnload: isOn,
    shouldBlockFn: ({ current, next }) => {
      if (next.pathname === current.pathname || next.pathname.endsWith("/sign-in")) return false;
      onLeave();
      return true;
    },
  });
}
