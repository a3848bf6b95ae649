/** An address that no document can be fetched from; the message says why. */
export class UnusableAddress extends Error {}

/**
 * Returns the URL to fetch for an address, which may lack its scheme. Only https
 * is allowed, because anything else is readable in transit.
 */
export function documentAddress(text: string): URL {
  const typed = text.trim();
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (/\s/.test(typed) || !URL.canParse(full)) throw new UnusableAddress(`“${typed}” is not an address such as https://example.com/crd.yaml.`);
  const url = new URL(full);
  if (url.protocol !== "https:") throw new UnusableAddress(`${typed} cannot be opened, because it does not begin with https://.`);
  if (url.username || url.password) throw new UnusableAddress("An address with a user name or a password cannot be opened.");
  url.hash = "";
  return rawAddress(url);
}

/**
 * Converts the address of a file's page on GitHub to the address of the raw file.
 * Only the latter host allows cross-origin requests.
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
