// Runs from the repository's root: stylelint --config web/tools/stylelint.config.mjs.

// One or more lengths from internal/ui/tokens.css.
const length = String.raw`(0|auto|env\([a-z-]+\)|var\(--(space|bar|gutter|border)[-\d]*\)|calc\([^a-z]*(var\(--[a-z]+[-\d]*\)[^a-z]*)+\))`;
const lengths = new RegExp(`^${length}( ${length})*$`);

export default {
  extends: ["stylelint-config-recommended"],
  plugins: ["@double-great/stylelint-a11y"],
  rules: {
    // Style sheets are ordered by component; cascade layers decide between them.
    "no-descending-specificity": null,
    // The sizes of text and the distances come from the tokens.
    "declaration-property-value-allowed-list": {
      font: ["inherit", /^(var\(--weight-bold\) )?var\(--(text|code)\)$/],
      "font-size": ["inherit", /^var\(--size-[a-z]+\)$/],
      "font-weight": [/^var\(--weight-[a-z]+\)$/],
      "line-height": [/^var\(--line-[a-z]+\)$/],
      "/^(padding|margin|(row-|column-)?gap)/": [lengths],
    },
    // Of the accessibility rules these are off, because the page solves their
    // problem once for all: light-dark() sets the colours of both schemes,
    // :focus-visible outlines everything, a media query ends all motion, and the
    // flows check that. Generated signs repeat what the markup says.
    "a11y/font-size-is-readable": true,
    "a11y/no-obsolete-attribute": true,
    "a11y/no-obsolete-element": true,
    "a11y/no-outline-none": true,
    "a11y/no-spread-text": true,
    "a11y/no-text-align-justify": true,
  },
};
