import { Document, isScalar, visit } from 'yaml';
import { compareText } from '../compare-text.js';
import { needsQuotes } from './scalars.js';

/**
 * Formats a value as kubectl does: with sorted keys, lists not indented under their key, unbroken long lines, no aliases, and quotes where
 * a YAML reader might otherwise read a string as another value. It ends with a newline.
 */
export function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false, sortMapEntries: byKey, keepUndefined: false });
  visit(document, {
    Scalar(_key, node) {
      if (isScalar(node) && typeof node.value === 'string' && needsQuotes(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ indentSeq: false, lineWidth: 0, flowCollectionPadding: false });
}

function byKey(a: { key: unknown }, b: { key: unknown }): number {
  return compareText(keyText(a.key), keyText(b.key));
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}
