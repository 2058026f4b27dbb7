import { compareText } from './compare-text.js';
import { validateLabelValue, validateQualifiedName } from './names.js';
import type { FieldError } from './schema/types.js';
import { parseRequirements, unparsable, type Requirement, type RequirementOperator } from './selector-syntax.js';

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** `metav1.LabelSelector`: all of `matchLabels` and `matchExpressions` must match. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export type Labels = Readonly<Record<string, string>>;

/** A compiled selector, validated and sorted by key. */
export interface Selector {
  readonly requirements: readonly Requirement[];
  /** Whether the selector matches everything. */
  readonly isEmpty: boolean;
  matches(labels: Labels | undefined): boolean;
  /** Returns the API's string form, `a=b,c in (x,y),!d`. */
  toString(): string;
}

const OPERATORS: Readonly<Record<string, RequirementOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** Selects nothing, like an absent label selector in the API. */
export const selectNothing: Selector = { requirements: [], isEmpty: false, matches: () => false, toString: () => '' };

/**
 * Compiles a selector. An absent selector selects nothing, an empty selector selects everything. Throws an error with the API server's
 * message for an invalid selector.
 */
export function compileLabelSelector(selector: LabelSelector | undefined): Selector {
  return selector === undefined ? selectNothing : fromRequirements(requirementsOf(selector));
}

/** Compiles the string form (`a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1`). The empty string selects everything. */
export function parseLabelSelector(text: string): Selector {
  const requirements = parseRequirements(text);
  try {
    return fromRequirements(requirements);
  } catch (error) {
    throw unparsable(error);
  }
}

/** Returns the string form of a label selector, for a URL or a message. It is sorted, so equal selectors give equal strings. */
export function selectorToString(selector: LabelSelector): string {
  return compileLabelSelector(selector).toString();
}

/** Returns all errors in the selector of an object, as the API server would report them under `path`. */
export function validateLabelSelector(selector: LabelSelector, path: string): FieldError[] {
  const labels = Object.entries(selector.matchLabels ?? {}).flatMap(([key, value]) => [
    ...invalid(`${path}.matchLabels`, key, validateQualifiedName(key)),
    ...invalid(`${path}.matchLabels`, value, validateLabelValue(value)),
  ]);
  const expressions = (selector.matchExpressions ?? []).flatMap((expression, i) =>
    validateExpression(expression, `${path}.matchExpressions[${i}]`),
  );
  return [...labels, ...expressions];
}

/** The schemas of built-in kinds do not require `key` and `operator`, so a requirement may lack them. */
function validateExpression({ key = '', operator, values = [] }: Partial<LabelSelectorRequirement>, path: string): FieldError[] {
  return [
    ...validateOperator(operator ?? '', values, path),
    ...invalid(`${path}.key`, key, validateQualifiedName(key)),
    ...values.flatMap((value, i) => invalid(`${path}.values[${i}]`, value, validateLabelValue(value))),
  ];
}

function validateOperator(operator: string, values: readonly string[], path: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [{ type: 'Required', field: `${path}.values`, detail: "must be specified when `operator` is 'In' or 'NotIn'" }];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [{ type: 'Forbidden', field: `${path}.values`, detail: "may not be specified when `operator` is 'Exists' or 'DoesNotExist'" }];
    default:
      return [{ type: 'Invalid', field: `${path}.operator`, value: operator, detail: 'not a valid selector operator' }];
  }
}

function invalid(field: string, value: string, problems: readonly string[]): FieldError[] {
  return problems.map((detail) => ({ type: 'Invalid', field, value, detail }));
}

function requirementsOf(selector: LabelSelector): Requirement[] {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, operator: '=', values: [value] }) as const);
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    const known = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined;
    if (known === undefined) throw new Error(`${JSON.stringify(operator)} is not a valid label selector operator`);
    return { key, operator: known, values };
  });
  return [...labels, ...expressions];
}

function fromRequirements(unsorted: readonly Requirement[]): Selector {
  for (const requirement of unsorted) checkRequirement(requirement);
  const requirements = [...unsorted].sort((a, b) => compareText(a.key, b.key));
  const tests = requirements.map(compileRequirement);
  const text = requirements.map(requirementToString).join(',');
  return {
    requirements,
    isEmpty: requirements.length === 0,
    matches: (labels = {}) => tests.every((test) => test(labels)),
    toString: () => text,
  };
}

/** Throws one error for all problems of a requirement, joined as the API server joins them. */
function checkRequirement({ key, operator, values }: Requirement): void {
  const problems: string[] = [];
  const report = (field: string, value: unknown, detail: string): void => {
    problems.push(`${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`);
  };
  const keyProblems = validateQualifiedName(key);
  if (keyProblems.length > 0) report('key', key, keyProblems.join('; '));
  const countProblem = valueCountProblem(operator, values.length);
  if (countProblem !== undefined) report('values', values, countProblem);
  if (operator === 'gt' || operator === 'lt') {
    values.forEach((value, i) => {
      if (parseInt64(value) === undefined) report(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer");
    });
  }
  values.forEach((value, i) => {
    const valueProblems = validateLabelValue(value);
    if (valueProblems.length > 0) report(`values[${i}][${key}]`, value, valueProblems.join('; '));
  });
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}

function valueCountProblem(operator: RequirementOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return count === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return count === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function compileRequirement({ key, operator, values }: Requirement): (labels: Labels) => boolean {
  const get = (labels: Labels): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const allowed = new Set<string | undefined>(values);
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return (labels) => allowed.has(get(labels));
    case '!=':
    case 'notin':
      return (labels) => !allowed.has(get(labels));
    case 'exists':
      return (labels) => Object.hasOwn(labels, key);
    case '!':
      return (labels) => !Object.hasOwn(labels, key);
    case 'gt':
      return compileComparison(get, values, (value, bound) => value > bound);
    case 'lt':
      return compileComparison(get, values, (value, bound) => value < bound);
  }
}

function compileComparison(
  get: (labels: Labels) => string | undefined,
  [text = '']: readonly string[],
  compare: (value: bigint, bound: bigint) => boolean,
): (labels: Labels) => boolean {
  const bound = parseInt64(text);
  return (labels) => {
    const value = parseInt64(get(labels));
    return value !== undefined && bound !== undefined && compare(value, bound);
  };
}

function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d{1,63}$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function requirementToString({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${[...values].sort().join(',')})`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}
