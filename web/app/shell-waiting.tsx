import { HouseMark } from "./brand.tsx";
import { PageWaiting } from "./page-waiting.tsx";

/** The frame before it is known who is there: the same measures, so that nothing jumps. */
export function ShellWaiting() {
  return (
    <div className="grid min-h-dvh md:grid-cols-[228px_1fr]">
      <div className="border-line border-r bg-sunken px-5 py-[22px] phone:hidden">
        <HouseMark className="size-[22px]" />
      </div>
      <main className="w-full max-w-[1240px] px-9 py-7 phone:px-3.5 phone:pt-20">
        <PageWaiting />
      </main>
    </div>
  );
}
