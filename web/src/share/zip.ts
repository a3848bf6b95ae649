import { downloadZip } from "client-zip";

/** A file's name and its content. */
export type NamedText = readonly [name: string, text: string];

/** A constant, because the time of a download says nothing about the files. */
const lastModified = new Date(1980, 0, 1);

/** Packs files into a ZIP file. */
export function zip(files: readonly NamedText[]): Promise<Blob> {
  return downloadZip(files.map(([name, input]) => ({ name, input, lastModified }))).blob();
}
