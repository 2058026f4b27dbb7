import { compileRegex, MAX_PROGRAM_SIZE, type Regex } from '../regex/index.js';
import { indexInto, optionalIndex, optionalSelect, select } from './access.js';
import { CelCompileError, CelEvaluationError } from './errors.js';
import { type FunctionTable, resolveCall } from './functions.js';
import { compileLogic } from './logic.js';
import { compileMacro } from './macros.js';
import { compare, contains, isEqual, toKey } from './operators.js';
import { offsetOf } from './position.js';
import { type CelNode, qualifiedName } from './syntax.js';
import type { Evaluate, ExpressionCompiler, Typed, Variable } from './typed.js';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  formatType,
  INT,
  isAssignable,
  join,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TYPE,
  UINT,
} from './types.js';
import { type CelKey, CelTypeValue, CelUint, type CelValue, LiteralMap } from './values.js';

const TYPE_NAMES = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type', 'optional_type']);
const WELL_KNOWN_TYPES = new Set(['google.protobuf.Timestamp', 'google.protobuf.Duration']);
const ARITHMETIC = new Set(['+', '-', '*', '/', '%']);
const ORDER: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};
const MAX_INT = 2n ** 63n - 1n;
const KEY_KINDS = new Set(['dyn', 'string', 'int', 'uint', 'bool', 'double', 'param', 'null']);
const PATTERN_FUNCTIONS = new Set(['matches', 'find', 'findAll']);

/** Checks an expression's types and compiles it into closures, in one traversal of its syntax tree. */
export class Compiler implements ExpressionCompiler {
  readonly #source: string;
  readonly #functions: FunctionTable;
  readonly #isMixingAllowed: boolean;
  readonly #patterns = new Map<string, Regex>();
  #variables: ReadonlyMap<string, Variable>;
  #slotCount: number;

  constructor(source: string, functions: FunctionTable, variables: ReadonlyMap<string, Variable>, isMixingAllowed: boolean) {
    this.#source = source;
    this.#isMixingAllowed = isMixingAllowed;
    this.#functions = functions;
    this.#variables = variables;
    this.#slotCount = variables.size;
  }

  /** The number of slots that a frame needs. */
  get slotCount(): number {
    return this.#slotCount;
  }

  /** The compiled literal patterns of the expression. */
  get patterns(): ReadonlyMap<string, Regex> {
    return this.#patterns;
  }

  fail(node: CelNode, message: string): never {
    throw new CelCompileError(message, this.#source, offsetOf(node, this.#source));
  }

  withVariables<T>(names: readonly (readonly [name: string, type: CelType])[], body: (...slots: number[]) => T): T {
    const outer = this.#variables;
    const added = names.map(([name, type]) => [name, { slot: this.#slotCount++, type }] as const);
    this.#variables = new Map([...outer, ...added]);
    try {
      return body(...added.map(([, { slot }]) => slot));
    } finally {
      this.#variables = outer;
    }
  }

  compile(node: CelNode): Typed {
    const { type, evaluate } = this.#compileNode(node);
    return {
      type,
      evaluate: (frame) => {
        frame.budget.charge(1);
        return evaluate(frame);
      },
    };
  }

  #compileNode(node: CelNode): Typed {
    switch (node.op) {
      case 'value':
        return this.#compileLiteral(node, node.args);
      case 'id':
        return this.#compileIdentifier(node, node.args);
      case '.':
        return this.#compileSelect(node, node.args[0], node.args[1]);
      case '.?':
        return this.#compileOptionalAccess(node.args[0], { type: STRING, evaluate: () => node.args[1] }, node.args[1], node);
      case '[]':
        return this.#compileIndex(node, this.compile(node.args[0]), this.compile(node.args[1]));
      case '[?]':
        return this.#compileOptionalAccess(node.args[0], this.compile(node.args[1]), undefined, node);
      case 'list':
        return this.#compileList(node.args);
      case 'map':
        return this.#compileMap(node.args);
      case 'call':
        return this.#compileCall(node, node.args[0], node.args[1]);
      case 'rcall':
        return this.#compileMemberCall(node, node.args[0], node.args[1], node.args[2]);
      default:
        return this.#compileOperator(node);
    }
  }

  #compileOperator(node: CelNode): Typed {
    switch (node.op) {
      case '?:':
      case '||':
      case '&&':
        return compileLogic(this, node, node.op, node.args);
      case '!_':
      case '-_':
        return this.#compileUnary(node, node.args);
      default: {
        const [left, right] = node.args as [CelNode, CelNode];
        return this.#compileBinary(node, this.compile(left), this.compile(right));
      }
    }
  }

  #compileLiteral(node: CelNode, raw: unknown): Typed {
    if (raw === null) return { type: NULL, evaluate: () => null };
    if (typeof raw === 'bigint') {
      if (raw > MAX_INT) this.fail(node, 'invalid int literal');
      return { type: INT, evaluate: () => raw };
    }
    if (typeof raw === 'number') return { type: DOUBLE, evaluate: () => raw };
    if (typeof raw === 'string') return { type: STRING, evaluate: () => raw };
    if (typeof raw === 'boolean') return { type: BOOL, evaluate: () => raw };
    if (raw instanceof Uint8Array) {
      const bytes = Uint8Array.from(raw);
      return { type: BYTES, evaluate: () => bytes };
    }
    const uint = new CelUint(BigInt(String(raw)));
    return { type: UINT, evaluate: () => uint };
  }

  #compileIdentifier(node: CelNode, name: string): Typed {
    const found = this.#lookup(name);
    return found ?? this.#undeclared(node, name);
  }

  /** Looks up a variable or the name of a type. */
  #lookup(name: string): Typed | undefined {
    const variable = this.#variables.get(name);
    if (variable !== undefined) return { type: variable.type, evaluate: (frame) => frame.slots[variable.slot] as CelValue };
    if (!TYPE_NAMES.has(name) && !WELL_KNOWN_TYPES.has(name)) return undefined;
    const type = new CelTypeValue(name);
    return { type: TYPE, evaluate: () => type };
  }

  #compileSelect(node: CelNode, operandNode: CelNode, field: string): Typed {
    const qualified = qualifiedName(node);
    const found = qualified === undefined ? undefined : this.#lookup(qualified);
    if (found !== undefined) return found;
    const operand = this.compile(operandNode);
    if (operand.type.kind === 'optional') {
      const type = optionalOf(this.fieldType(node, operand.type.value, field));
      return { type, evaluate: (frame) => optionalSelect(operand.evaluate(frame), field) };
    }
    return { type: this.fieldType(node, operand.type, field), evaluate: (frame) => select(operand.evaluate(frame), field) };
  }

  fieldType(node: CelNode, type: CelType, field: string): CelType {
    if (type.kind === 'dyn') return DYN;
    if (type.kind === 'map') return type.value;
    if (type.kind === 'object') return type.fields.get(field) ?? this.fail(node, `undefined field '${field}'`);
    return this.fail(node, `type '${formatType(type)}' does not support field selection`);
  }

  #compileIndex(node: CelNode, operand: Typed, index: Typed): Typed {
    const evaluate: Evaluate = (frame) => indexInto(operand.evaluate(frame), index.evaluate(frame));
    const { type } = operand;
    if (type.kind === 'optional') {
      const element = this.#elementType(node, type.value, index.type);
      return { type: optionalOf(element), evaluate: (frame) => optionalIndex(operand.evaluate(frame), index.evaluate(frame)) };
    }
    return { type: this.#elementType(node, type, index.type), evaluate };
  }

  #elementType(node: CelNode, type: CelType, index: CelType): CelType {
    if (type.kind === 'dyn') return DYN;
    if (type.kind === 'list' && ['int', 'uint', 'double', 'dyn'].includes(index.kind)) return type.element;
    if (type.kind === 'map' && isAssignable(type.key, index)) return type.value;
    return this.#noOverload(node, '_[_]', [type, index]);
  }

  #compileOptionalAccess(operandNode: CelNode, key: Typed, field: string | undefined, node: CelNode): Typed {
    const operand = this.compile(operandNode);
    const type = operand.type.kind === 'optional' ? operand.type.value : operand.type;
    const valueType = field === undefined ? this.#elementType(node, type, key.type) : this.fieldType(node, type, field);
    return { type: optionalOf(valueType), evaluate: (frame) => optionalIndex(operand.evaluate(frame), key.evaluate(frame)) };
  }

  #compileList(nodes: readonly CelNode[]): Typed {
    const elements = nodes.map((element) => this.compile(element));
    const type = this.#joinAll(nodes, elements);
    const parts = elements.map((element) => element.evaluate);
    return { type: listOf(type), evaluate: (frame) => parts.map((evaluate) => evaluate(frame)) };
  }

  /**
   * Returns the common type of the parts of a list or map literal. If there is none, returns `dyn` where mixing is allowed, and fails where
   * it is not.
   */
  #joinAll(nodes: readonly CelNode[], parts: readonly Typed[]): CelType {
    return parts.reduce<CelType>((type, part, i) => {
      const joined = join(type, part.type);
      const isMixed = joined === undefined || (type.kind === 'dyn') !== (part.type.kind === 'dyn');
      if (isMixed && !this.#isMixingAllowed) {
        this.fail(nodes[i] as CelNode, `expected type '${formatType(type)}' but found '${formatType(part.type)}'`);
      }
      return joined ?? DYN;
    }, parts[0]?.type ?? DYN);
  }

  #compileMap(nodes: readonly (readonly [CelNode, CelNode])[]): Typed {
    const entries = nodes.map(([key, value]) => [this.compile(key), this.compile(value)] as const);
    // Reject other key types, because no map accepts them. Maps as keys would also let the size of the type double with each level of
    // nesting.
    for (const [i, [key]] of entries.entries())
      if (!KEY_KINDS.has(key.type.kind))
        this.fail((nodes[i] as readonly [CelNode, CelNode])[0], `unsupported key type '${formatType(key.type)}'`);
    return {
      type: mapOf(
        this.#joinAll(
          nodes.map(([key]) => key),
          entries.map(([key]) => key),
        ),
        this.#joinAll(
          nodes.map(([, value]) => value),
          entries.map(([, value]) => value),
        ),
      ),
      evaluate: (frame) => {
        const map = new Map<CelKey, CelValue>();
        for (const [keyPart, valuePart] of entries) {
          const key = keyPart.evaluate(frame);
          const normal = typeof key === 'number' ? undefined : toKey(key);
          if (normal === undefined) throw new CelEvaluationError('unsupported key type');
          if (map.has(normal)) throw new CelEvaluationError(`Failed with repeated key ${String(normal)}`);
          map.set(normal, valuePart.evaluate(frame));
        }
        return new LiteralMap(map);
      },
    };
  }

  #compileUnary(node: CelNode, operandNode: CelNode): Typed {
    // The smallest int has no positive counterpart, so the sign is parsed as part of the literal.
    if (node.op === '-_' && operandNode.op === 'value' && operandNode.args === MAX_INT + 1n)
      return { type: INT, evaluate: () => -MAX_INT - 1n };
    const operand = this.compile(operandNode);
    const name = node.op === '!_' ? '!_' : '-_';
    return this.#callTyped(node, name, [operand]);
  }

  #compileBinary(node: CelNode, left: Typed, right: Typed): Typed {
    const { op } = node;
    switch (op) {
      case '==':
      case '!=':
        if (join(left.type, right.type) === undefined && !bothNumbers(left.type, right.type))
          this.#noOverload(node, `_${op}_`, [left.type, right.type]);
        return { type: BOOL, evaluate: (frame) => isEqual(left.evaluate(frame), right.evaluate(frame), frame.budget) === (op === '==') };
      case 'in':
        this.#checkMembership(node, left.type, right.type);
        return { type: BOOL, evaluate: (frame) => contains(left.evaluate(frame), right.evaluate(frame), frame.budget) };
      default:
        return ARITHMETIC.has(op) ? this.#callTyped(node, `_${op}_`, [left, right]) : this.#compileOrder(node, left, right);
    }
  }

  #checkMembership(node: CelNode, element: CelType, container: CelType): void {
    const isFine =
      container.kind === 'dyn' ||
      (container.kind === 'list' && (join(container.element, element) !== undefined || bothNumbers(container.element, element))) ||
      (container.kind === 'map' && (join(container.key, element) !== undefined || bothNumbers(container.key, element)));
    if (!isFine) this.#noOverload(node, '@in', [element, container]);
  }

  #compileOrder(node: CelNode, left: Typed, right: Typed): Typed {
    const { op } = node;
    const test = ORDER[op];
    if (test === undefined) return this.fail(node, `unsupported operator '${op}'`);
    const { type: a } = left;
    const { type: b } = right;
    const isFine = a.kind === 'dyn' || b.kind === 'dyn' || bothNumbers(a, b) || (a.kind === b.kind && isOrdered(a));
    if (!isFine) this.#noOverload(node, `_${op}_`, [a, b]);
    return {
      type: BOOL,
      evaluate: (frame) => {
        const x = left.evaluate(frame);
        frame.budget.chargeSize(x);
        return test(compare(x, right.evaluate(frame)));
      },
    };
  }

  #compileCall(node: CelNode, name: string, args: readonly CelNode[]): Typed {
    if (PATTERN_FUNCTIONS.has(name) && args[1]?.op === 'value') this.#checkPattern(args[1], args[1].args);
    return (
      compileMacro(this, node, name, undefined, args) ??
      this.#callTyped(
        node,
        name,
        args.map((arg) => this.compile(arg)),
      )
    );
  }

  /**
   * Compiles `a.b(c)` as a macro, as a function in a namespace (`sets.contains`) or as a member function, whichever exists first in this
   * order.
   */
  #compileMemberCall(node: CelNode, name: string, receiver: CelNode, args: readonly CelNode[]): Typed {
    const macro = compileMacro(this, node, name, receiver, args);
    if (macro !== undefined) return macro;
    if (PATTERN_FUNCTIONS.has(name) && args[0]?.op === 'value') this.#checkPattern(args[0], args[0].args);
    const namespace = qualifiedName(receiver);
    const isNamespace = namespace !== undefined && this.#variables.get(namespace.split('.')[0] ?? '') === undefined;
    if (isNamespace && this.#functions.find(`${namespace}.${name}`, false, args.length).length > 0) {
      return this.#callTyped(
        node,
        `${namespace}.${name}`,
        args.map((arg) => this.compile(arg)),
      );
    }
    return this.#callTyped(
      node,
      name,
      [receiver, ...args].map((arg) => this.compile(arg)),
      true,
    );
  }

  /** Compiles a literal pattern together with the expression, so that an invalid pattern is reported before the expression runs. */
  #checkPattern(node: CelNode, pattern: unknown): void {
    if (typeof pattern !== 'string') return;
    if (this.#patterns.has(pattern)) return;
    try {
      this.#patterns.set(pattern, compileRegex(pattern));
    } catch (error) {
      this.fail(node, (error as Error).message);
    }
    const total = [...this.#patterns.values()].reduce((sum, { programSize }) => sum + programSize, 0);
    if (total > MAX_PROGRAM_SIZE) this.fail(node, `the patterns of the expression expand to more than ${MAX_PROGRAM_SIZE} instructions`);
  }

  #callTyped(node: CelNode, name: string, args: readonly Typed[], isMember = false): Typed {
    const overloads = this.#functions.find(name, isMember, args.length);
    const types = args.map((arg) => arg.type);
    const resolved = resolveCall(overloads, types);
    if (resolved === undefined && !isMember && !this.#functions.has(name)) return this.#undeclared(node, name);
    if (resolved === undefined) return this.#noOverload(node, name, types, isMember);
    const parts = args.map((arg) => arg.evaluate);
    const { call } = resolved;
    return {
      type: resolved.type,
      evaluate: (frame) =>
        call(
          parts.map((evaluate) => evaluate(frame)),
          frame.budget,
        ),
    };
  }

  #undeclared(node: CelNode, name: string): never {
    return this.fail(node, `undeclared reference to '${name}' (in container '')`);
  }

  #noOverload(node: CelNode, name: string, types: readonly CelType[], isMember = false): never {
    const [receiver = '', ...args] = types.map(formatType);
    const applied = isMember ? `${receiver}.(${args.join(', ')})` : `(${[receiver, ...args].join(', ')})`;
    return this.fail(node, `found no matching overload for '${name}' applied to '${applied}'`);
  }
}

function bothNumbers(a: CelType, b: CelType): boolean {
  const numbers = ['int', 'uint', 'double'];
  return numbers.includes(a.kind) && numbers.includes(b.kind);
}

function isOrdered(type: CelType): boolean {
  return ['bool', 'string', 'bytes', 'timestamp', 'duration'].includes(type.kind);
}
