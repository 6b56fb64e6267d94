const SAMPLES_PER_SECOND = 24_000;
const BYTES_PER_SAMPLE = 2;
const HEAD_BYTES = 44;
const SAMPLES_PER_TOKEN = 1_200;

/** A twentieth of a second. */
export const SOUND_BYTES_PER_TOKEN = SAMPLES_PER_TOKEN * BYTES_PER_SAMPLE;

/** The head of a WAV file of one voice, in samples of 16 bits. */
export function wavHead(soundBytes: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(HEAD_BYTES - 8 + soundBytes, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND * BYTES_PER_SAMPLE, 28);
  head.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  head.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(soundBytes, 40);
  return head;
}

const LOWEST_HERTZ = 220;
const HIGHEST_PITCH = 16;
const LOUDNESS = 4_000;

export function beep(pitch: number): Buffer {
  const hertz = LOWEST_HERTZ * (1 + Math.min(pitch, HIGHEST_PITCH) / HIGHEST_PITCH);
  const sound = Buffer.alloc(SOUND_BYTES_PER_TOKEN);
  for (let sample = 0; sample < SAMPLES_PER_TOKEN; sample++) {
    const turn = (2 * Math.PI * hertz * sample) / SAMPLES_PER_SECOND;
    sound.writeInt16LE(Math.round(Math.sin(turn) * LOUDNESS), sample * BYTES_PER_SAMPLE);
  }
  return sound;
}

const SECONDS_MAX = 86_400;

/** How long a WAV file plays; null for any other. */
export function wavSeconds(file: Uint8Array): number | null {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.length < HEAD_BYTES || bytes.toString("latin1", 0, 4) !== "RIFF") return null;
  if (bytes.toString("latin1", 8, 12) !== "WAVE") return null;
  const bytesPerSecond = bytes.readUInt32LE(28);
  const seconds = (bytes.length - HEAD_BYTES) / bytesPerSecond;
  return seconds <= SECONDS_MAX ? seconds : null;
}
