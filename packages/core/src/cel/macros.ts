import { lookup } from './access.js';
import { CelEvaluationError } from './errors.js';
import { absorbable, requireBool, toBool } from './logic.js';
import { noSuchOverload, toKey } from './operators.js';
import type { CelNode } from './syntax.js';
import type { Evaluate, ExpressionCompiler, Frame, Typed } from './typed.js';
import { BOOL, type CelType, DYN, formatType, INT, listOf, mapOf, optionalOf } from './types.js';
import { type CelKey, CelMap, CelOptional, CelUint, type CelValue, LiteralMap } from './values.js';

/** Compiles the macros of CEL and of its two-variable comprehension extension. Returns undefined if the call is not a macro. */
export function compileMacro(
  compiler: ExpressionCompiler,
  node: CelNode,
  name: string,
  receiver: CelNode | undefined,
  args: readonly CelNode[],
): Typed | undefined {
  if (receiver === undefined) return name === 'has' && args.length === 1 ? compileHas(compiler, args[0] as CelNode) : undefined;
  if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel' && args.length === 3) return compileBind(compiler, args);
  if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) return compileOptional(compiler, name, receiver, args);
  const form = `${name}/${args.length}`;
  if (!Object.hasOwn(COMPREHENSIONS, form)) return undefined;
  const build = COMPREHENSIONS[form];
  return build?.(compiler, node, receiver, args);
}

type Build = (compiler: ExpressionCompiler, node: CelNode, receiver: CelNode, args: readonly CelNode[]) => Typed | undefined;

const COMPREHENSIONS: Readonly<Record<string, Build>> = {
  'all/2': quantifier(1, all),
  'all/3': quantifier(2, all),
  'exists/2': quantifier(1, exists),
  'exists/3': quantifier(2, exists),
  'exists_one/2': quantifier(1, existsOne),
  'exists_one/3': quantifier(2, existsOne),
  'existsOne/2': quantifier(1, existsOne),
  'existsOne/3': quantifier(2, existsOne),
  'filter/2': compileFilter,
  'map/2': transformList(1, false),
  'map/3': transformList(1, true),
  'transformList/3': transformList(2, false),
  'transformList/4': transformList(2, true),
  'transformMap/3': transformMap(false),
  'transformMap/4': transformMap(true),
};

function compileHas(compiler: ExpressionCompiler, argument: CelNode): Typed {
  if (argument.op !== '.') return compiler.fail(argument, 'invalid argument to has() macro');
  const [operandNode, field] = argument.args;
  const operand = compiler.compile(operandNode);
  compiler.fieldType(argument, operand.type.kind === 'optional' ? operand.type.value : operand.type, field);
  return {
    type: BOOL,
    evaluate: (frame) => {
      const value = operand.evaluate(frame);
      if (value instanceof CelOptional) return value.value !== undefined && lookup(value.value, field) !== undefined;
      return lookup(value, field) !== undefined;
    },
  };
}

function compileBind(compiler: ExpressionCompiler, [variable, valueNode, bodyNode]: readonly CelNode[]): Typed {
  const value = compiler.compile(valueNode as CelNode);
  return compiler.withVariables([[variableName(compiler, variable as CelNode), value.type]], (slot) => {
    const body = compiler.compile(bodyNode as CelNode);
    return {
      type: body.type,
      evaluate: (frame) => {
        frame.slots[slot] = value.evaluate(frame);
        return body.evaluate(frame);
      },
    };
  });
}

function compileOptional(compiler: ExpressionCompiler, name: string, receiver: CelNode, [variable, bodyNode]: readonly CelNode[]): Typed {
  const optional = compiler.compile(receiver);
  if (optional.type.kind !== 'optional' && optional.type.kind !== 'dyn') {
    return compiler.fail(receiver, `${name} needs an optional, found '${formatType(optional.type)}'`);
  }
  const inner = optional.type.kind === 'optional' ? optional.type.value : DYN;
  return compiler.withVariables([[variableName(compiler, variable as CelNode), inner]], (slot) => {
    const body = compiler.compile(bodyNode as CelNode);
    return {
      type: name === 'optMap' ? optionalOf(body.type) : body.type,
      evaluate: (frame) => {
        const value = optional.evaluate(frame);
        if (!(value instanceof CelOptional)) throw noSuchOverload(name, value);
        if (value.value === undefined) return CelOptional.none;
        frame.slots[slot] = value.value;
        const result = body.evaluate(frame);
        return name === 'optMap' ? new CelOptional(result) : result;
      },
    };
  });
}

function variableName(compiler: ExpressionCompiler, node: CelNode): string {
  return node.op === 'id' ? node.args : compiler.fail(node, 'argument must be a simple name');
}

/** The range of a comprehension. For each entry, `forEach` assigns the variables and calls `visit`. */
interface Range {
  readonly forEach: (frame: Frame, visit: (frame: Frame, index: CelValue) => boolean) => void;
}

/**
 * Compiles the range, and then `body` with the variables in scope. A single variable is the element of a list or the key of a map. Two
 * variables are the index and the element of a list, or the key and the value of a map.
 */
function withRange<T>(
  compiler: ExpressionCompiler,
  receiver: CelNode,
  variables: readonly CelNode[],
  body: (range: Range, elementType: CelType) => T,
): T {
  const range = compiler.compile(receiver);
  const types = rangeTypes(compiler, receiver, range.type, variables.length);
  const names = variables.map((variable, i) => [variableName(compiler, variable), types[i] as CelType] as const);
  return compiler.withVariables(names, (...slots) => body(walk(range.evaluate, slots), types[0] as CelType));
}

function rangeTypes(compiler: ExpressionCompiler, node: CelNode, type: CelType, count: number): CelType[] {
  if (type.kind === 'dyn') return [DYN, DYN];
  if (type.kind === 'list') return count === 1 ? [type.element] : [INT, type.element];
  if (type.kind === 'map') return [type.key, type.value];
  return compiler.fail(node, `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`);
}

function walk(evaluate: Evaluate, [first, second]: readonly number[]): Range {
  return {
    forEach: (frame, visit) => {
      const range = evaluate(frame);
      const isList = Array.isArray(range);
      if (!isList && !(range instanceof CelMap)) throw new CelEvaluationError('no such overload: the range must be a list or a map');
      const indexes: readonly CelValue[] = isList ? range : range.keys();
      for (let i = 0; i < indexes.length; i++) {
        frame.budget.charge(1);
        const entry = indexes[i] as CelValue;
        const index = isList && second !== undefined ? BigInt(i) : entry;
        frame.slots[first as number] = index;
        if (second !== undefined) frame.slots[second] = isList ? entry : (range.get(entry as CelKey) as CelValue);
        if (!visit(frame, index)) return;
      }
    },
  };
}

type Quantify = (range: Range, predicate: Evaluate, frame: Frame) => boolean;

function quantifier(variableCount: number, quantify: Quantify): Build {
  return (compiler, _node, receiver, args) =>
    withRange(compiler, receiver, args.slice(0, variableCount), (range) => {
      const predicateNode = args[variableCount] as CelNode;
      const predicate = compiler.compile(predicateNode);
      requireBool(compiler, predicateNode, predicate.type, 'predicate');
      return { type: BOOL, evaluate: (frame) => quantify(range, predicate.evaluate, frame) };
    });
}

function all(range: Range, predicate: Evaluate, frame: Frame): boolean {
  return !decides(range, predicate, frame, false);
}

function exists(range: Range, predicate: Evaluate, frame: Frame): boolean {
  return decides(range, predicate, frame, true);
}

/** Whether `predicate` returns `decisive` for an entry. An error from another entry is thrown only if there is no such entry. */
function decides(range: Range, predicate: Evaluate, frame: Frame, decisive: boolean): boolean {
  let failure: CelEvaluationError | undefined;
  let isDecided = false;
  range.forEach(frame, () => {
    try {
      isDecided = toBool(predicate(frame)) === decisive;
    } catch (error) {
      const absorbed = absorbable(error, frame);
      failure ??= absorbed;
    }
    return !isDecided;
  });
  if (!isDecided && failure !== undefined) throw failure;
  return isDecided;
}

function existsOne(range: Range, predicate: Evaluate, frame: Frame): boolean {
  let count = 0;
  range.forEach(frame, () => {
    if (toBool(predicate(frame))) count++;
    return true;
  });
  return count === 1;
}

function compileFilter(compiler: ExpressionCompiler, _node: CelNode, receiver: CelNode, args: readonly CelNode[]): Typed {
  return withRange(compiler, receiver, args.slice(0, 1), (range, elementType) => {
    const predicate = compiler.compile(args[1] as CelNode);
    requireBool(compiler, args[1] as CelNode, predicate.type, 'filter');
    return {
      type: listOf(elementType),
      evaluate: (frame) => {
        const kept: CelValue[] = [];
        range.forEach(frame, (_frame, element) => {
          if (toBool(predicate.evaluate(frame))) kept.push(element);
          return true;
        });
        return kept;
      },
    };
  });
}

/** Implements `map(x, t)`, `map(x, filter, t)` and their two-variable forms. */
function transformList(variableCount: number, hasFilter: boolean): Build {
  return (compiler, _node, receiver, args) =>
    withRange(compiler, receiver, args.slice(0, variableCount), (range) => {
      const filter = hasFilter ? compileFilterPart(compiler, args[variableCount] as CelNode) : undefined;
      const transform = compiler.compile(args.at(-1) as CelNode);
      return {
        type: listOf(transform.type),
        evaluate: (frame) => {
          const results: CelValue[] = [];
          range.forEach(frame, () => {
            if (filter === undefined || toBool(filter(frame))) results.push(transform.evaluate(frame));
            return true;
          });
          return results;
        },
      };
    });
}

function transformMap(hasFilter: boolean): Build {
  return (compiler, _node, receiver, args) =>
    withRange(compiler, receiver, args.slice(0, 2), (range, keyType) => {
      const filter = hasFilter ? compileFilterPart(compiler, args[2] as CelNode) : undefined;
      const transform = compiler.compile(args.at(-1) as CelNode);
      return {
        type: mapOf(keyType, transform.type),
        evaluate: (frame) => {
          const results = new Map<CelKey, CelValue>();
          range.forEach(frame, (_frame, index) => {
            if (filter === undefined || toBool(filter(frame))) results.set(toMapKey(index), transform.evaluate(frame));
            return true;
          });
          return new LiteralMap(results);
        },
      };
    });
}

function compileFilterPart(compiler: ExpressionCompiler, node: CelNode): Evaluate {
  const filter = compiler.compile(node);
  requireBool(compiler, node, filter.type, 'filter');
  return filter.evaluate;
}

function toMapKey(value: CelValue): CelKey {
  const key = value instanceof CelUint ? value.value : toKey(value);
  if (key === undefined) throw new CelEvaluationError('unsupported key type');
  return key;
}
