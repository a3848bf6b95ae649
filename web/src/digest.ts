/** Returns the SHA-256 digest of a string in hex; undefined outside of secure contexts, where browsers lack it. */
export async function digestOf(text: string): Promise<string | undefined> {
  if (!("subtle" in crypto)) return undefined;
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
