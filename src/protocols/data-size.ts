/** Images, audio and files travel as base64 inside the text, and are not counted by their letters. */
export class DataSize {
  bytes = 0;
  parts = 0;

  /** One that only names where it is kept is as large as one that is sent along. */
  add(data: unknown): void {
    this.bytes += typeof data === "string" ? data.length : 1;
    this.parts += 1;
  }

  /** A link says nothing of its size; one that is the data itself does. */
  addUrl(url: unknown): void {
    this.add(typeof url === "string" && url.startsWith("data:") ? url : null);
  }
}
