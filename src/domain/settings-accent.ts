/** The house's own colour, with the tones that pages need of it. Pure: the browser shows what the server checks. */

const COLOUR = /^#[0-9a-f]{6}$/;
/** By WCAG 2, for text. */
export const CONTRAST_MIN = 4.5;
/** More than is needed, so that there is room for the soft ground that text stands on, too. */
const DARK_CONTRAST = 6;

/** Of the grounds that it stands on in each theme, the one that is nearest to it; see web/styles/tokens.css. */
const LIGHT_GROUND = "#f4f2ee";
const LIGHT_PANEL = "#ffffff";
const DARK_GROUND = "#1b1a17";
const WHITE = "#ffffff";
const BLACK = "#000000";
const STEPS = 50;

export type Accent = { light: string; dark: string };
/** As the style sheet names them. */
export type AccentShades = { accent: string; hover: string; ink: string; soft: string };

/** As it is kept; null where it is not a colour. */
export function readColour(text: string): string | null {
  const colour = text.trim().toLowerCase();
  return COLOUR.test(colour) ? colour : null;
}

/** What is wrong with it as an accent; null where text in it and on it can be read. */
export function accentProblem(colour: string): string | null {
  const onPage = contrast(colour, LIGHT_GROUND);
  if (onPage >= CONTRAST_MIN) return null;
  const [white, page] = [contrast(WHITE, colour), onPage].map(ratio =>
    (Math.floor(ratio * 10) / 10).toFixed(1),
  );
  return `must be darker: white text on it has a contrast of ${white} to 1, and it on the page has ${page} to 1, where ${CONTRAST_MIN} to 1 can be read`;
}

/** For dark pages it is made lighter, in its own hue, until it can be read there, too. */
export function accentTones(light: string): Accent {
  const { hue, saturation, lightness } = hueOf(light);
  for (let step = 0; step <= STEPS; step += 1) {
    const share = step / STEPS;
    const dark = ofHue({ hue, saturation, lightness: lightness + (1 - lightness) * share });
    if (contrast(dark, DARK_GROUND) >= DARK_CONTRAST) return { light, dark };
  }
  return { light, dark: WHITE };
}

export function accentShades(tone: string, theme: "light" | "dark"): AccentShades {
  return theme === "light"
    ? { accent: tone, hover: mixed(tone, BLACK, 0.2), ink: WHITE, soft: softGround(tone, LIGHT_PANEL) }
    : {
        accent: tone,
        hover: mixed(tone, WHITE, 0.2),
        ink: mixed(tone, BLACK, 0.88),
        soft: softGround(tone, DARK_GROUND),
      };
}

/** As much of the tone as leaves the tone itself readable on it. */
function softGround(tone: string, ground: string): string {
  for (let percent = 14; percent > 0; percent -= 1) {
    const soft = mixed(ground, tone, percent / 100);
    if (contrast(tone, soft) >= CONTRAST_MIN) return soft;
  }
  return ground;
}

export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = parts(colour)
    .map(part => part / 255)
    .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function parts(colour: string): number[] {
  return [1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16));
}

function mixed(one: string, other: string, share: number): string {
  const others = parts(other);
  const digits = parts(one).map((part, at) => {
    const value = Math.round(part * (1 - share) + (others[at] ?? 0) * share);
    return value.toString(16).padStart(2, "0");
  });
  return `#${digits.join("")}`;
}

type Hue = { hue: number; saturation: number; lightness: number };

function hueOf(colour: string): Hue {
  const [red = 0, green = 0, blue = 0] = parts(colour).map(part => part / 255);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const [lightness, spread] = [(most + least) / 2, most - least];
  if (spread === 0) return { hue: 0, saturation: 0, lightness };
  const saturation = spread / (1 - Math.abs(2 * lightness - 1));
  if (most === red) return { hue: (((green - blue) / spread + 6) % 6) * 60, saturation, lightness };
  const hue = most === green ? (blue - red) / spread + 2 : (red - green) / spread + 4;
  return { hue: hue * 60, saturation, lightness };
}

function ofHue({ hue, saturation, lightness }: Hue): string {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const digits = [0, 8, 4].map(at => {
    const place = (at + hue / 30) % 12;
    const part = lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round(part * 255)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${digits.join("")}`;
}
