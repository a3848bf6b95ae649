// The element <crd-lab> shows the YAML in it as an editable playground. Other sites load
// this script, so it imports nothing and the build gives it no content hash.
//
// The fragment of the frame's address contains the documents, percent-encoded. So the
// playground reads them like any other link: it needs no listener for messages of other
// sites, and browsers send fragments to no server. The playground divides the YAML.
//
// The only message is from the playground, after its start. A later theme reaches the playground as
// a fragment without documents.

/** The address of this script, beside which the server has the page for frames. */
const script = import.meta.url;

/** The maximum length of an address, in characters; the playground accepts no more. */
const maxText = 1 << 20;

/** The time for the start of the playground, in ms. Then the YAML stays. */
const patience = 30_000;

/** A content security policy without inline styles allows constructed style sheets. */
const styles = `
  :host { display: block; margin-block: 1em; }
  :host([hidden]) { display: none; }
  iframe { display: block; box-sizing: border-box; width: 100%; border: 1px solid #8886; border-radius: 6px; }
  iframe:not(.is-ready) { position: absolute; width: 1px; height: 1px; visibility: hidden; }
  p { margin: 0.4em 0 0; font-size: 0.85em; }
  @media screen { .is-replaced { display: none; } }
  @media print { iframe, p { display: none !important; } }
`;

class CRDLab extends HTMLElement {
  #frame: HTMLIFrameElement | undefined;
  #observer: IntersectionObserver | undefined;
  /** Site generators switch their theme with an attribute of one of the outer elements. */
  readonly #themes = new MutationObserver(() => this.#follow());
  #theme = "";

  connectedCallback(): void {
    if (!this.shadowRoot) this.#build();
    this.#observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) this.#start();
      },
      { rootMargin: "200px" },
    );
    this.#observer.observe(this);
    for (const element of [document.documentElement, document.body, this]) this.#themes.observe(element, { attributes: true });
  }

  disconnectedCallback(): void {
    this.#observer?.disconnect();
    this.#themes.disconnect();
    this.#stop();
  }

  #build(): void {
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    root.adoptedStyleSheets = [sheet];
    const link = document.createElement("a");
    link.textContent = "Open in the playground";
    link.target = "_blank";
    link.rel = "noopener";
    // Scripts of the host page may change the content before the click.
    const refresh = (): void => {
      link.href = this.#address("./");
    };
    link.addEventListener("pointerdown", refresh);
    link.addEventListener("focus", refresh);
    const note = document.createElement("p");
    note.part.add("link");
    note.append(link);
    root.append(document.createElement("slot"), note);
    refresh();
  }

  /** Shows the playground instead of the YAML once it has started. */
  #start(): void {
    this.#observer?.disconnect();
    const address = this.#address("embed.html");
    if (this.#frame || address.length > maxText) return;
    const frame = (this.#frame = document.createElement("iframe"));
    frame.title = this.title || "CRD playground";
    // Web workers need the playground's own origin. The same-origin
    // policy still protects this page, and the frame cannot navigate the window.
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-downloads allow-popups allow-popups-to-escape-sandbox");
    frame.allow = "clipboard-write";
    frame.referrerPolicy = "no-referrer";
    const height = this.getAttribute("height") ?? "";
    frame.style.height = /^\d+$/.test(height) ? `${height}px` : height || "480px";
    const { origin } = new URL(address);
    const ended = new AbortController();
    const expired = setTimeout(() => {
      ended.abort();
      this.#stop();
    }, patience);
    addEventListener(
      "message",
      (event) => {
        if (event.source !== frame.contentWindow || event.origin !== origin || event.data !== "crdlab started") return;
        clearTimeout(expired);
        ended.abort();
        frame.classList.add("is-ready");
        this.dispatchEvent(new Event("started"));
        this.#follow();
        this.shadowRoot?.querySelector("slot")?.classList.add("is-replaced");
      },
      { signal: ended.signal },
    );
    this.#theme = this.#chosenTheme();
    frame.src = address;
    this.shadowRoot?.querySelector("slot")?.after(frame);
  }

  #stop(): void {
    this.#frame?.remove();
    this.#frame = undefined;
    this.shadowRoot?.querySelector("slot")?.classList.remove("is-replaced");
  }

  /** Shows the started playground in the present theme of the page. */
  #follow(): void {
    const theme = this.#chosenTheme();
    if (theme === this.#theme || !this.#frame?.classList.contains("is-ready")) return;
    this.#theme = theme;
    // Replacing the fragment neither loads the frame again nor adds an entry to the history.
    this.#frame.contentWindow?.location.replace(new URL(`embed.html#theme=${theme || "system"}`, this.#home()).href);
  }

  /** Returns the theme of the attribute or of the page; empty for the system's theme. */
  #chosenTheme(): string {
    return [this.getAttribute("theme"), getComputedStyle(this).colorScheme].find((theme) => theme === "light" || theme === "dark") ?? "";
  }

  #home(): URL {
    return new URL(this.getAttribute("playground") ?? "./", script);
  }

  /** Returns the address of a page of the playground with the documents and the settings. */
  #address(page: string): string {
    const home = this.#home();
    const address = new URL(page, home);
    const theme = this.#chosenTheme();
    const parts = [
      ...this.#documents(home),
      ...["panel", "release"].filter((name) => this.hasAttribute(name)).map((name) => `${name}=${encodeURIComponent(this.getAttribute(name) ?? "")}`),
      ...(this.hasAttribute("read-only") ? ["read-only=true"] : []),
      ...(theme ? [`theme=${theme}`] : []),
    ];
    address.hash = parts.join("&");
    return address.href;
  }

  /** Returns the parts of the fragment that select the documents. */
  #documents(home: URL): readonly string[] {
    const sources = this.getAttribute("src")?.split(/\s+/).filter((source) => source !== "") ?? [];
    if (sources.length > 0) return sources.map((source) => sourcePart(new URL(source, document.baseURI), home));
    const texts = [...this.querySelectorAll("pre, script[type='text/yaml']")].map((element) => textOf(element).trim()).filter((text) => text !== "");
    return [`yaml=${encodeURIComponent(`${texts.join("\n---\n")}\n`)}`];
  }
}

/** Returns the lines that a reader would copy: without line numbers, which sites make unselectable, and with the line breaks. */
function textOf(element: Element): string {
  if (getComputedStyle(element).getPropertyValue("-webkit-user-select") === "none") return "";
  if (element.localName === "br") return "\n";
  return [...element.childNodes].map((node) => (node instanceof Element ? textOf(node) : node instanceof Text ? node.data : "")).join("");
}

/** A link to the playground contains the documents, or has them as YAML; other addresses are files. */
function sourcePart(source: URL, home: URL): string {
  if (source.href.startsWith(home.href)) {
    const named = /[#&]((?:1|example|url|yaml)=[^&]*)/.exec(source.hash)?.[1];
    if (named) return named;
    if (/\/s\/[\w-]+$/.test(source.pathname)) source.pathname += ".yaml";
  }
  return `url=${encodeURIComponent(source.href)}`;
}

if (!customElements.get("crd-lab")) customElements.define("crd-lab", CRDLab);
