import { expect, test } from "vitest";
import { zip } from "./zip";

const localHeader = 0x04034b50;
const directoryHeader = 0x02014b50;
const end = 0x06054b50;

test("the directory leads to the files, with their checksums and sizes", async () => {
  const bytes = new Uint8Array(await (await zip([["ä.txt", "ü"], ["b.txt", "123456789"]])).arrayBuffer());
  const view = new DataView(bytes.buffer);
  const last = bytes.length - 22;
  expect(view.getUint32(last, true)).toBe(end);
  expect(view.getUint16(last + 10, true)).toBe(2);

  const first = view.getUint32(last + 16, true);
  expect(view.getUint32(first, true)).toBe(directoryHeader);
  const second = first + 46 + "ä.txt".length + 1;
  expect(second + 46 + "b.txt".length).toBe(last);
  expect(view.getUint32(second, true)).toBe(directoryHeader);
  expect(view.getUint32(second + 16, true)).toBe(0xcbf43926);
  expect(view.getUint32(second + 24, true)).toBe(9);

  const local = view.getUint32(second + 42, true);
  expect(view.getUint32(local, true)).toBe(localHeader);
  expect(new TextDecoder().decode(bytes.slice(local + 30, local + 44))).toBe("b.txt123456789");
});
