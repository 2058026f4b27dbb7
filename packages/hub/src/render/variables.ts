/** A string of a manifest, cut at its `{{NAME}}`s: literal text, or the name of a variable. */
export type Segment = { readonly text: string } | { readonly variable: string };

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Cuts `text` at its variables. `{{ NAME }}` may have spaces inside the braces, `\{{` is a literal `{{`. Returns a reason for people
 * when a variable is malformed, since a template that silently renders to something else is worse than one that does not render.
 */
export function parseVariables(text: string): readonly Segment[] | { readonly problem: string } {
  const segments: Segment[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{{', at);
    if (open < 0) {
      literal += text.slice(at);
      break;
    }
    if (open > 0 && text[open - 1] === '\\') {
      literal += `${text.slice(at, open - 1)}{{`;
      at = open + 2;
      continue;
    }
    const close = text.indexOf('}}', open + 2);
    if (close < 0) return { problem: `"{{" is never closed in ${quote(text)}; write "\\{{" for a literal "{{"` };
    const name = text.slice(open + 2, close).trim();
    if (!NAME.test(name)) {
      return {
        problem: `${quote(text.slice(open, close + 2))} is not a variable: a name is letters, digits and "_", and does not start with a digit`,
      };
    }
    literal += text.slice(at, open);
    if (literal !== '') segments.push({ text: literal });
    literal = '';
    segments.push({ variable: name });
    at = close + 2;
  }
  if (literal !== '') segments.push({ text: literal });
  return segments;
}

/** Whether a string needs any work at all; most strings of most manifests do not. */
export function hasVariables(text: string): boolean {
  return text.includes('{{');
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}
