/** Returns the SHA-256 digest of a text in hex; undefined outside of secure contexts, where browsers have none. */
export async function digestOf(text: string): Promise<string | undefined> {
  if (!("subtle" in crypto)) return undefined;
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
