// The filter text of the Fleet and Activity pages. It consists of words and `key:value` terms, all of which must match. A term with a
// leading `-` must not match. `state:failed,degraded` accepts either value, `version:<2.0` compares, `label:region=eu` names a label, and
// quotes keep spaces together.

export type Comparison = '<' | '<=' | '>' | '>=' | '=';

export interface Term {
  /** The field that the term filters by; `undefined` for a bare word. */
  readonly key: string | undefined;
  readonly comparison: Comparison;
  /** The alternative values, at least one. The term matches if one of them matches. */
  readonly values: readonly string[];
  readonly isNegated: boolean;
}

const KEY = /^[a-z][a-z-]*$/;
const COMPARISON = /^(<=|>=|<|>|=)/;

export function parseFilter(text: string): Term[] {
  return words(text).flatMap((word) => {
    const term = parseTerm(word);
    return term === undefined ? [] : [term];
  });
}

/** Formats terms in the canonical form that URLs use. Parsing the text gives equal terms. */
export function formatFilter(terms: readonly Term[]): string {
  return terms.map(formatTerm).join(' ');
}

/**
 * Returns the filter after the user has clicked a term. Removes the term if the filter contains it; otherwise adds it in place of other
 * terms with the same key.
 */
export function toggleTerm(text: string, key: string, value: string): string {
  const terms = parseFilter(text);
  const isSame = (term: Term) => term.key === key && !term.isNegated && term.values.length === 1 && term.values[0] === value;
  const others = terms.filter((term) => (key === 'label' ? !isSame(term) : term.key !== key));
  const added: Term = { key, comparison: '=', values: [value], isNegated: false };
  return formatFilter(terms.some(isSame) ? others : [...others, added]);
}

function parseTerm(word: string): Term | undefined {
  const isNegated = word.length > 1 && word.startsWith('-');
  const body = isNegated ? word.slice(1) : word;
  const colon = indexOutsideQuotes(body, ':');
  const key = colon > 0 ? body.slice(0, colon) : '';
  if (!KEY.test(key)) {
    const value = unquote(body);
    return value === '' ? undefined : { key: undefined, comparison: '=', values: [value], isNegated };
  }
  const rest = body.slice(colon + 1);
  const sign = COMPARISON.exec(rest)?.[0] as Comparison | undefined;
  const values = splitOutsideQuotes(rest.slice(sign?.length ?? 0), ',')
    .map(unquote)
    .filter(Boolean);
  return values.length === 0 ? undefined : { key, comparison: sign ?? '=', values, isNegated };
}

function formatTerm({ key, comparison, values, isNegated }: Term): string {
  const sign = isNegated ? '-' : '';
  const listed = values.map(quote).join(',');
  return key === undefined ? `${sign}${listed}` : `${sign}${key}:${comparison === '=' ? '' : comparison}${listed}`;
}

/** Splits at white space outside of quotes. An unclosed quote ends at the end of the text. */
function words(text: string): string[] {
  return splitOutsideQuotes(text.replaceAll(/\s/g, ' '), ' ').filter((word) => word !== '');
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let rest = text;
  for (let at = indexOutsideQuotes(rest, separator); at >= 0; at = indexOutsideQuotes(rest, separator)) {
    parts.push(rest.slice(0, at));
    rest = rest.slice(at + 1);
  }
  return [...parts, rest];
}

function indexOutsideQuotes(text: string, character: string): number {
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '"') isQuoted = !isQuoted;
    else if (text[index] === character && !isQuoted) return index;
  }
  return -1;
}

function unquote(text: string): string {
  return text.replaceAll('"', '');
}

function quote(value: string): string {
  return /[\s,:]|^[-<>=]/.test(value) ? `"${value}"` : value;
}
