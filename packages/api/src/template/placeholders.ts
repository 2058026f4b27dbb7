/** A part of a template text: literal text, or a variable to fill in. */
export type TemplatePart = string | { readonly variable: string };

export type ParsedTemplateText = { readonly parts: readonly TemplatePart[] } | { readonly problem: string };

const NAME = /^[a-zA-Z_][_a-zA-Z0-9]*$/;
const OPEN = '{{';
const CLOSE = '}}';

/**
 * Splits a text at its variables. `{{NAME}}` is a variable, with optional spaces inside the braces; `\{{` is a literal `{{`. Any other text
 * that starts with `{{` is reported as an error, because a typo would otherwise reach the cluster.
 */
export function parseTemplateText(text: string): ParsedTemplateText {
  if (!text.includes(OPEN)) return { parts: text === '' ? [] : [text] };
  const parts: TemplatePart[] = [];
  let literal = '';
  let at = 0;
  for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, at)) {
    if (open > at && text[open - 1] === '\\') {
      literal += text.slice(at, open - 1) + OPEN;
      at = open + OPEN.length;
      continue;
    }
    const close = text.indexOf(CLOSE, open + OPEN.length);
    if (close < 0) return { problem: `"{{" is not closed by "}}" (write \\{{ for two literal braces)` };
    const name = text.slice(open + OPEN.length, close).trim();
    if (!NAME.test(name)) return { problem: `"{{${name}}}" is not a variable (write \\{{ for two literal braces)` };
    literal += text.slice(at, open);
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push({ variable: name });
    at = close + CLOSE.length;
  }
  literal += text.slice(at);
  if (literal !== '') parts.push(literal);
  return { parts };
}
