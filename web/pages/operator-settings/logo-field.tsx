import { ImageUp } from "lucide-react";
import { type ChangeEvent, useId, useRef, useState } from "react";
import { GateMark } from "../../app/gate-mark.tsx";
import { Button } from "../../parts/button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Draft, type Given, isLocked, type Setting, shownValue } from "./setting.ts";
import { words } from "./words.ts";

type Props = { setting: Setting; draft: Draft; onChange: (value: Given) => void };

const TYPES = ["image/png", "image/jpeg", "image/webp"];
const BYTES_MAX = 64 * 1024;
const KILO = 1024;
/** Only what a picture can be: an address from elsewhere is not asked for. */
const PICTURE = /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/=]+$/;

function readPicture(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unread"));
    reader.readAsDataURL(file);
  });
}

/** A picture from the disk, seen before it is saved. The server looks at its bytes; this only saves the way. */
export function LogoField({ setting, draft, onChange }: Props) {
  const say = useWords(words);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const value = shownValue(setting, draft);
  const [refused, setRefused] = useState<{ why: string; beside: string } | null>(null);
  const setProblem = (why: string) => setRefused({ why, beside: value });
  const take = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    event.target.value = "";
    if (file === undefined) return;
    if (!TYPES.includes(file.type)) return setProblem(say("fileKind"));
    if (file.size > BYTES_MAX) {
      return setProblem(say("fileLarge", { size: Math.ceil(file.size / KILO), most: BYTES_MAX / KILO }));
    }
    try {
      onChange(await readPicture(file));
      setRefused(null);
    } catch {
      setProblem(say("fileUnread"));
    }
  };
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-center gap-3">
        <span className="grid size-14 place-items-center rounded-lg border border-line bg-sunken p-1.5">
          {PICTURE.test(value) ? (
            <img src={value} alt={say("logoNow")} className="max-h-full max-w-full object-contain" />
          ) : (
            <GateMark className="size-8 text-accent" />
          )}
        </span>
        {isLocked(setting) ? null : (
          <>
            <input
              ref={input}
              id={id}
              type="file"
              accept={TYPES.join(",")}
              onChange={event => void take(event)}
              aria-label={say("chooseFile")}
              className="hidden"
            />
            <Button icon={<ImageUp size={15} aria-hidden />} onClick={() => input.current?.click()}>
              {say("chooseFile")}
            </Button>
            {value === "" ? null : (
              <Button tone="bad" onClick={() => onChange(null)}>
                {say("remove")}
              </Button>
            )}
          </>
        )}
        {value === "" ? <span className="text-ink-3 text-sm">{say("noLogo")}</span> : null}
      </div>
      {refused?.beside !== value ? null : (
        <p role="alert" className="text-bad text-sm">
          {refused.why}
        </p>
      )}
    </div>
  );
}
