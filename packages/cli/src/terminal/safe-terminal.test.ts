import { describe, expect, it } from 'vitest';
import { recordingTerminal, safeTerminal } from './terminal.js';

const HOSTILE = 'evil\u001b[2J\u001b[2A\u0007\u202e\r\u009b31m';
const SHOWN = 'evil\\u001b[2J\\u001b[2A\\u0007\\u202e\\u000d\\u009b31m';

describe('AT-30 the terminal of every command', () => {
  it('shows the control characters of a text that a command did not clean as codes', () => {
    const terminal = recordingTerminal();
    safeTerminal(terminal).out(`a\t${HOSTILE}\n`);
    safeTerminal(terminal).note(`${HOSTILE}\n`);
    expect(terminal.written).toEqual({ out: `a\t${SHOWN}\n`, note: `${SHOWN}\n` });
  });

  it('keeps the styles of a terminal with colours, and no other sequence', () => {
    const terminal = { ...recordingTerminal() };
    const coloured = { ...terminal, style: { ...terminal.style, good: (text: string) => `\u001b[32m${text}\u001b[39m` } };
    const safe = safeTerminal(coloured);
    safe.out(`${safe.style.good('fine')} ${HOSTILE}\u001b[8mhidden\n`);
    expect(terminal.written.out).toBe(`\u001b[32mfine\u001b[39m ${SHOWN}\\u001b[8mhidden\n`);
  });

  it('moves the cursor by sequences of its own', () => {
    const terminal = recordingTerminal();
    safeTerminal(terminal).control('\r\u001b[2A');
    expect(terminal.written.out).toBe('\r\u001b[2A');
  });
});
