import { useEffect, useState } from "react";
import { useHouse } from "../api/house.ts";
import { type Brand, keepBrand, keptBrand, showAccent, showIcon } from "../browser/brand.ts";
import { classNames } from "../parts/class-names.ts";
import { useLanguage } from "../words/language-provider.tsx";
import { GateMark } from "./gate-mark.tsx";

/** As the house says; until it has said so, as it said last time. */
export function useBrand(): Brand {
  const { data } = useHouse();
  const [last] = useState(keptBrand);
  return data ?? last;
}

/** Gives the whole page the house's colour, its sign in the tab, and its language where nobody has chosen one. */
export function BrandWatch() {
  const { data: house } = useHouse();
  const { offer } = useLanguage();
  useEffect(() => {
    if (house === undefined) return;
    const { name, logo, accent, language } = house;
    keepBrand({ name, logo, accent, language });
    showAccent(accent);
    showIcon(logo);
    offer(language);
  }, [house, offer]);
  return null;
}

/** The sign of the house: its own picture, or the product's. Its name stands beside it, so it has no text. */
export function HouseMark({ className }: { className: string }) {
  const { logo } = useBrand();
  const [broken, setBroken] = useState<string | null>(null);
  if (logo === null || logo === broken) return <GateMark className={classNames(className, "text-accent")} />;
  return (
    <img
      src={logo}
      alt=""
      className={classNames(className, "rounded-[4px] object-contain")}
      onError={() => setBroken(logo)}
    />
  );
}
