/** An address that no document can be fetched from; the message says why. */
export class UnusableAddress extends Error {}

/**
 * Where to fetch the document from that an address stands for, which may lack
 * the scheme. Only https is fetched: all else would be readable on its way.
 */
export function documentAddress(text: string): URL {
  const typed = text.trim();
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (/\s/.test(typed) || !URL.canParse(full)) throw new UnusableAddress(`“${typed}” is not an address such as https://example.com/crd.yaml.`);
  const url = new URL(full);
  if (url.protocol !== "https:") throw new UnusableAddress(`${typed} cannot be opened: only addresses that begin with https:// can.`);
  if (url.username || url.password) throw new UnusableAddress("An address with a user name or a password cannot be opened.");
  url.hash = "";
  return rawAddress(url);
}

/**
 * Of a file on GitHub people copy the address of a page about it, whose site
 * lets no other read it; the file itself is at another one, which does.
 */
function rawAddress(url: URL): URL {
  const [, owner, repository, kind, ...rest] = url.pathname.split("/");
  switch (url.hostname) {
    case "github.com":
    case "www.github.com":
      if ((kind !== "blob" && kind !== "raw") || rest.length < 2) return url;
      return new URL(`https://raw.githubusercontent.com/${[owner, repository, ...rest].join("/")}`);
    case "gist.github.com":
      if (!repository) return url;
      return new URL(`https://gist.githubusercontent.com/${[owner, repository, kind || "raw", ...rest].join("/")}`);
    default:
      return url;
  }
}
