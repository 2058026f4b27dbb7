import { type JsonObject, objectOrEmpty } from '@outrigger/core';
import { CommandError, EXIT } from '../../failure.js';
import { hunks, lineDiff } from '../../preview/line-diff.js';
import { clean } from '../../terminal/clean.js';
import { wrap } from '../../terminal/clip.js';
import { displayWidth } from '../../terminal/display-width.js';
import { formatValue } from '../../terminal/format.js';
import { wrapProse } from '../../terminal/wrap-prose.js';
import type { CommandContext } from '../context.js';
import type { DiffOptions } from './command.js';

const AROUND = 3;

/** An object that differs: its current and its new state, and the diff lines to print. */
export interface Change {
  readonly name: string;
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  readonly lines: ReturnType<typeof hunks>;
}

/**
 * Prints the changes. In machine-readable formats, it prints a list with each object before and after. Fails with exit code 5 if there are
 * changes.
 */
export function printChanges({ terminal }: CommandContext, changes: readonly Change[], output: DiffOptions['output']): void {
  if (output === 'json' || output === 'yaml') {
    const list = changes.map(({ name, before, after }) => ({ name, before: before ?? null, after: after ?? null }));
    terminal.out(formatValue({ changes: list }, output));
  } else terminal.out(changesText(changes, terminal.style));
  if (changes.length > 0)
    throw new CommandError(`${changes.length} ${changes.length === 1 ? 'object differs' : 'objects differ'}`, EXIT.no);
}

/** Returns the changes as text, with the name of each object. Lines that are wider than `width` continue on lines that start with `…`. */
export function changesText(
  changes: readonly Change[],
  style: CommandContext['terminal']['style'],
  { indent = '', width = Infinity }: { readonly indent?: string; readonly width?: number } = {},
): string {
  const room = width - indent.length - '- … '.length;
  const pieces = (sign: string, text: string): readonly string[] => {
    if (displayWidth(`${indent}${sign} ${text}`) <= width) return [`${sign} ${text}`];
    return wrap(text, room).map((piece, i) => `${sign} ${i === 0 ? '' : '… '}${piece}`);
  };
  return changes
    .map(({ name, lines }) => {
      const shown = lines.flatMap((line) =>
        line === 'gap' ? [style.dim('  ...')] : pieces(line.sign, clean(line.text)).map(colour(line.sign, style)),
      );
      const title = wrapProse(clean(name), width - indent.length).map(style.bold);
      return [...title, ...shown].map((line) => `${indent}${line}\n`).join('');
    })
    .join('');
}

export function diffManifests(before: readonly JsonObject[], after: readonly JsonObject[]): readonly Change[] {
  const old = new Map(before.map((manifest) => [manifestName(manifest), manifest]));
  const next = new Map(after.map((manifest) => [manifestName(manifest), manifest]));
  return [...new Set([...old.keys(), ...next.keys()])].sort().flatMap((name) => {
    const lines = lineDiff(text(old.get(name)), text(next.get(name)));
    return lines.every(({ sign }) => sign === ' ')
      ? []
      : [{ name, before: old.get(name), after: next.get(name), lines: hunks(lines, AROUND) }];
  });
}

function text(manifest: JsonObject | undefined): string {
  return manifest ? formatValue(manifest, 'yaml').trimEnd() : '';
}

function manifestName(manifest: JsonObject): string {
  const metadata = objectOrEmpty(manifest['metadata']);
  const namespace = typeof metadata['namespace'] === 'string' ? `${metadata['namespace']}/` : '';
  return `${String(manifest['kind'])} ${namespace}${String(metadata['name'])}`;
}

function colour(sign: ' ' | '-' | '+', style: CommandContext['terminal']['style']): (text: string) => string {
  return sign === '+' ? style.good : sign === '-' ? style.bad : (plain) => plain;
}
