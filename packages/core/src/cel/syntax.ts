import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { CelCompileError } from './errors.js';

export type CelNode = ASTNode;

const MAX_SOURCE_LENGTH = 64 * 1024;

/**
 * Only the library's parser is used, because the library's evaluator has no budget, no linear-time `matches`, and no schema types for lists
 * of objects. Unlisted variables are allowed because the compiler resolves names.
 */
const parser = new Environment({
  enableOptionalTypes: true,
  unlistedVariablesAreDyn: true,
  limits: { maxAstNodes: 20_000, maxDepth: 200, maxListElements: 10_000, maxMapEntries: 10_000 },
});

/** Returns the syntax tree of an expression. Throws a CelCompileError with the position of the error. */
export function parseSyntax(source: string): CelNode {
  if (source.length > MAX_SOURCE_LENGTH) {
    throw new CelCompileError(`the expression has ${source.length} characters, at most ${MAX_SOURCE_LENGTH} are allowed`, '', 0);
  }
  try {
    return parser.parse(source).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CelCompileError(`Syntax error: ${error.summary}`, source, error.range?.start ?? 0, { cause: error });
  }
}

/** Returns `a.b.c` as a string if it consists of names only. */
export function qualifiedName(node: CelNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return undefined;
  const left = qualifiedName(node.args[0]);
  return left === undefined ? undefined : `${left}.${node.args[1]}`;
}
