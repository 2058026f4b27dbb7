import { clean } from '../terminal/clean.js';
import { PLAIN, type Style } from '../terminal/terminal.js';
import { wrapWords } from '../terminal/wrap-words.js';
import type { Finding } from './finding.js';

const AS = { ok: 'good', warning: 'warn', problem: 'bad' } as const;
const GAP = 3;
const INDENT = '  ';

/**
 * Formats one row per check. The text of a finding is wrapped in its column. The next step follows on a separate line; a command is never
 * wrapped, so that it can be pasted.
 */
export function findingsText(
  findings: readonly Finding[],
  { style = PLAIN, width = Infinity }: { readonly style?: Style; readonly width?: number | undefined } = {},
): string {
  const widest = (texts: readonly string[]): number => Math.max(...texts.map(({ length }) => length));
  const checks = widest(['CHECK', ...findings.map(({ check }) => check)]) + GAP;
  const states = widest(['STATE', ...findings.map(({ state }) => state)]) + GAP;
  const indent = ' '.repeat(checks + states);
  const head = style.dim(`${'CHECK'.padEnd(checks)}${'STATE'.padEnd(states)}FOUND`);
  const rows = findings.flatMap(({ check, state, text, hint }) => {
    const [first = '', ...more] = wrapWords(clean(text), width - indent.length);
    return [
      `${check.padEnd(checks)}${style[AS[state]](state)}${' '.repeat(states - state.length)}${first}`,
      ...more.map((line) => `${indent}${line}`),
      ...(hint === undefined ? [] : nextLines(clean(hint), width)),
    ];
  });
  return [head, ...rows].map((line) => `${line.trimEnd()}\n`).join('');
}

function nextLines(hint: string, width: number): readonly string[] {
  const isCommand = /^(outrigger|kubectl) /.test(hint);
  return (isCommand ? [hint] : wrapWords(hint, width - INDENT.length)).map((line) => `${INDENT}${line}`);
}
