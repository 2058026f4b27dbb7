import { ActionReader, type Step, type TemplatePart } from './syntax.js';

/** Parses a whole template. A range without `end` extends to the end of the template, as in kubectl. */
export function parseTemplate(text: string): TemplatePart[] {
  const root: TemplatePart[] = [];
  const open: { steps: readonly Step[]; body: TemplatePart[] }[] = [];
  const add = (part: TemplatePart): void => void (open.at(-1)?.body ?? root).push(part);
  const close = (): void => {
    const block = open.pop();
    if (block === undefined) throw new Error('not in range, nothing to end');
    add({ type: 'range', ...block });
  };
  for (let at = 0; at < text.length; ) {
    const brace = text.indexOf('{', at);
    const textEnd = brace < 0 ? text.length : brace;
    if (textEnd > at) add({ type: 'text', text: text.slice(at, textEnd) });
    if (brace < 0) break;
    const reader = new ActionReader(text, brace + 1);
    const { keyword, steps } = reader.read(false);
    if (keyword === 'range') open.push({ steps, body: [] });
    else if (keyword === 'end') close();
    else add({ type: 'path', steps });
    at = reader.position;
  }
  while (open.length > 0) close();
  return root;
}

/** Adds missing braces and the first dot: `metadata.name` and `.metadata.name` become `{.metadata.name}`. */
export function relax(text: string): string {
  if (text.includes('{') || text.includes('}')) return text;
  return /^[.[$@]/.test(text) ? `{${text}}` : `{.${text}}`;
}
