import type { CelNode } from './syntax.js';

/**
 * Returns the position that the API server reports for an error in a part of an expression. This is the position of the operator, the dot
 * or the parenthesis, not the start of the part.
 */
export function offsetOf(node: CelNode, source: string): number {
  const place = placeOf(node);
  if (!place) return node.start;
  const found = source.indexOf(place.text, place.after);
  return found < 0 ? node.start : found;
}

function placeOf(node: CelNode): { readonly text: string; readonly after: number } | undefined {
  switch (node.op) {
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return undefined;
    case 'call':
      return { text: '(', after: node.start };
    case 'rcall':
      return { text: '(', after: node.args[1].end };
    case '.':
    case '.?':
      return { text: '.', after: node.args[0].end };
    case '[]':
    case '[?]':
      return { text: '[', after: node.args[0].end };
    case '?:':
      return { text: '?', after: node.args[0].end };
    default:
      return { text: node.op, after: node.args[0].end };
  }
}
