import { describe, expect, it } from 'vitest';
import { clip, wrap } from './clip.js';
import { liveBlock } from './live.js';
import { recordingTerminal } from './terminal.js';

const HIDE = '\u001b[?25l';
const SHOW = '\r\u001b[0J\u001b[?25h';
const up = (lines: number): string => `\r\u001b[${lines}A\u001b[0J`;

function liveTerminal(columns: number, rows: number) {
  return { ...recordingTerminal(), isLive: true, columns, rows };
}

describe('a block that is rewritten in place', () => {
  it('wraps lines that are too long for the window, and moves up by the lines it occupies', () => {
    const terminal = liveTerminal(5, 10);
    const block = liveBlock(terminal);
    block.show('a long line\nb\n');
    block.show('another one\nb\n');
    expect(terminal.written.out).toBe(`${HIDE}a lon\ng lin\ne\nb\n${up(4)}anoth\ner on\ne\nb\n`);
  });
  it('never occupies more lines than the window has, and ends with all of them', () => {
    const terminal = liveTerminal(80, 4);
    const block = liveBlock(terminal);
    block.show('1\n2\n3\n4\n5\n');
    block.end();
    expect(terminal.written.out).toBe(`${HIDE}1\n2\n... and 3 more lines; they do not fit here\n${up(3)}1\n2\n3\n4\n5\n${SHOW}`);
  });
  it('is not written again if nothing changed', () => {
    const terminal = liveTerminal(80, 10);
    const block = liveBlock(terminal);
    block.show('a\n');
    block.show('a\n');
    block.end();
    expect(terminal.written.out).toBe(`${HIDE}a\n${SHOW}`);
  });
});

describe('a line cut to a width', () => {
  it.each([
    ['fits', 'abc', 3, 'abc'],
    ['is cut', 'abcd', 3, 'abc'],
    ['keeps its colours, which take no room', '\u001b[32mabcd\u001b[39m', 2, '\u001b[32mab\u001b[39m'],
    ['does not show half of a wide character', 'a監視', 4, 'a監'],
  ])('%s', (_, line, columns, want) => expect(clip(line, columns)).toBe(want));
});

describe('a line wrapped to a width', () => {
  it.each([
    ['fits', 'abc', 3, ['abc']],
    ['continues on the next line', 'abcdefg', 3, ['abc', 'def', 'g']],
    ['keeps its colours, which take no room', '\u001b[32mabcd\u001b[39m', 3, ['\u001b[32mabc', 'd\u001b[39m']],
    ['does not split a wide character', 'a監視', 4, ['a監', '視']],
    ['is empty', '', 4, ['']],
    ['ends in a window without room', 'abc', -2, ['ab', 'c']],
    ['is empty in a window without room', '', -1, ['']],
  ])('%s', (_, line, columns, want) => expect(wrap(line, columns)).toEqual(want));
});
