import { isFramed } from "./framed";

/** Reads a value; null without storage, and in a frame. */
export function read(key: string): string | null {
  if (isFramed) return null;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Writes a value if the browser allows it and has room, except in a frame. */
export function write(key: string, value: string): void {
  if (isFramed) return;
  try {
    localStorage.setItem(key, value);
  } catch {
    // The page works without storage; the next visit starts afresh.
  }
}

/** Removes a value, except in a frame. */
export function remove(key: string): void {
  if (isFramed) return;
  try {
    localStorage.removeItem(key);
  } catch {
    // Without storage, there is no value.
  }
}
