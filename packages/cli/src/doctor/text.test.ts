import { describe, expect, it } from 'vitest';
import { displayWidth } from '../terminal/display-width.js';
import { findingsText } from './text.js';
import type { Finding } from './finding.js';

const LONG = 'a-name-of-sixty-three-characters-as-long-as-labels-can-be-xxxxx';
const COMMAND = `outrigger why ${LONG} --cluster ${LONG}`;
const FINDINGS: readonly Finding[] = [
  { check: 'kinds', state: 'ok', text: 'all are served, in all versions' },
  { check: 'other managers', state: 'warning', text: `${LONG} runs`, hint: `read docs/guides/real-hub.md, "${LONG} and back"` },
  { check: 'add-ons', state: 'problem', text: `3 of 3 are not healthy: ${LONG} on ${LONG}, ${LONG} on ${LONG}`, hint: COMMAND },
];

describe('the findings of doctor', () => {
  it.each([60, 80, 100, 167])('%s columns show every state and text; only commands are longer', (width) => {
    const lines = findingsText(FINDINGS, { width }).trimEnd().split('\n');
    for (const { check, state } of FINDINGS) expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${check} +${state} +\\S`)));
    expect(lines.filter((line) => displayWidth(line) > width && line.trim() !== COMMAND)).toEqual([]);
    // The command is complete and alone on its line, so that it can be copied from a terminal.
    expect(lines).toContain(`  ${COMMAND}`);
    const words = (text: string): string => text.replaceAll(/\s/g, '');
    for (const { text } of FINDINGS) expect(words(lines.join(''))).toContain(words(text));
  });

  it('a pipe gets each text on one line', () => {
    const lines = findingsText(FINDINGS).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + FINDINGS.length + 2);
  });

  it('cleans text from objects', () => {
    const text = findingsText([{ check: 'x', state: 'problem', text: 'a\u001b[31m', hint: 'kubectl get \u001b[2J' }]);
    expect(text).not.toContain('\u001b');
  });
});
