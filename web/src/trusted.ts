// The content security policy requires Trusted Types: the browser rejects every string
// that would become HTML or the address of a script, unless it passed through here.

/** A part of the Trusted Types API, which TypeScript's library lacks. */
interface TrustedTypes {
  createPolicy(name: string, rules: Rules): Rules;
}

/** The results are objects that TypeScript regards as strings. */
interface Rules {
  createHTML(html: string): string;
  createScriptURL(address: string): string;
}

const rules: Rules = {
  /** Accepts the HTML of the engine, whose templates escape all strings of documents. */
  createHTML: (html) => html,
  /** Accepts the scripts of the page's own build. */
  createScriptURL: (address) => {
    const { origin, pathname } = new URL(address, location.href);
    if (origin !== location.origin || !/\/(?:assets\/[\w-]+|service-worker)\.js$/.test(pathname)) {
      throw new TypeError(`${address} is not a script of this page`);
    }
    return address;
  },
};

// Browsers without Trusted Types use the rules themselves.
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("crdlab", rules) ?? rules;

/** Parses HTML that the engine rendered. */
export function parseRendered(html: string): Node[] {
  const template = document.createElement("template");
  template.innerHTML = policy.createHTML(html);
  return [...template.content.childNodes];
}

/** Starts a worker of the page's build. */
export function startWorker(address: string, name: string): Worker {
  return new Worker(policy.createScriptURL(address), { type: "module", name });
}

/** Registers the service worker of the page's build. */
export function registerServiceWorker(address: string): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(policy.createScriptURL(address), { updateViaCache: "none" });
}
