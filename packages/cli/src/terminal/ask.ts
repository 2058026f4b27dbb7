import { createInterface } from 'node:readline/promises';
import { CommandError, EXIT } from '../failure.js';

/** The streams of a prompt. `terminal` is true if the input is a terminal, whose keys are read one by one. */
export interface PromptStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly terminal?: boolean;
}

/** Asks a question that is answered with yes or no; every other answer is no. Ctrl-C ends the command. */
export async function ask(question: string, streams: PromptStreams, signal: AbortSignal): Promise<boolean> {
  const reader = createInterface(streams);
  try {
    return /^y(es)?$/i.test((await reader.question(`${question} [y/N] `, { signal })).trim());
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    // End the line of the question, because the cursor is still on it. On a terminal, Ctrl-C reaches the reader as a key, not the process
    // as a signal.
    streams.output.write('\n');
    throw new CommandError('nothing was changed', EXIT.interrupted);
  } finally {
    reader.close();
  }
}
