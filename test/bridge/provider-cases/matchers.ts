import { isDeepStrictEqual } from 'node:util';

/** One `$operator`: undefined when `actual` satisfies it, else what was wanted. */
type Matcher = (actual: unknown, operand: unknown) => string | undefined;

/**
 * Compares a value of an answer with what a case expects: a literal (deep equality) or an object of
 * `$operators`, which must all hold.
 * @param actual undefined when the answer has no such value.
 * @returns undefined when they match, else one sentence that says what was wanted and what came.
 * @throws Error on an operator it does not know or an operand of the wrong kind: a broken case must not pass.
 */
export function findMismatch(actual: unknown, expected: unknown): string | undefined {
  const operators = operatorsOf(expected);
  if (operators === undefined)
    return isDeepStrictEqual(actual, expected) ? undefined : got(show(expected), actual);
  const wanted = operators
    .map(([name, operand]) => matcherNamed(name)(actual, operand))
    .find((complaint) => complaint !== undefined);
  return wanted === undefined ? undefined : got(wanted, actual);
}

function operatorsOf(expected: unknown): [string, unknown][] | undefined {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected))
    return undefined;
  const members = Object.entries(expected);
  const operators = members.filter(([name]) => name.startsWith('$'));
  if (operators.length === 0) return undefined;
  if (operators.length < members.length)
    throw new Error(`operators and literals are mixed: ${show(expected)}`);
  return operators;
}

function matcherNamed(name: string): Matcher {
  const matcher = matchers.get(name);
  if (matcher === undefined) throw new Error(`unknown operator ${name}`);
  return matcher;
}

const matchers: ReadonlyMap<string, Matcher> = new Map<string, Matcher>([
  ['$exists', matchExists],
  ['$notEmpty', matchNotEmpty],
  ['$absentOrEmpty', matchAbsentOrEmpty],
  ['$type', matchType],
  ['$contains', matchContains],
  ['$length', matchLength],
  ['$gte', matchAtLeast],
  ['$ne', matchDifferent],
  ['$matches', matchPattern],
]);

/** A null is neither there nor away: an answer has no reason to carry one. */
function matchExists(actual: unknown, operand: unknown): string | undefined {
  if (operand === false) return actual === undefined ? undefined : 'nothing';
  if (operand !== true) throw new Error('$exists takes true or false');
  return actual === undefined || actual === null ? 'a value' : undefined;
}

function matchNotEmpty(actual: unknown, operand: unknown): string | undefined {
  if (operand !== true) throw new Error('$notEmpty takes true');
  return isAbsentOrEmpty(actual) ? 'a value that is not empty' : undefined;
}

function matchAbsentOrEmpty(actual: unknown, operand: unknown): string | undefined {
  if (operand !== true) throw new Error('$absentOrEmpty takes true');
  return isAbsentOrEmpty(actual) ? undefined : 'nothing, or something empty';
}

function isAbsentOrEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function matchType(actual: unknown, operand: unknown): string | undefined {
  if (typeof operand !== 'string') throw new Error('$type takes the name of a type');
  return jsonTypeOf(actual) === operand ? undefined : `a value of type ${operand}`;
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function matchContains(actual: unknown, operand: unknown): string | undefined {
  const contains =
    typeof actual === 'string' && typeof operand === 'string'
      ? actual.includes(operand)
      : Array.isArray(actual) && actual.some((item) => isDeepStrictEqual(item, operand));
  return contains ? undefined : `something that contains ${show(operand)}`;
}

function matchLength(actual: unknown, operand: unknown): string | undefined {
  if (typeof operand !== 'number') throw new Error('$length takes a number');
  const hasLength = typeof actual === 'string' || Array.isArray(actual);
  return hasLength && actual.length === operand ? undefined : `a length of ${operand}`;
}

function matchAtLeast(actual: unknown, operand: unknown): string | undefined {
  if (typeof operand !== 'number') throw new Error('$gte takes a number');
  return typeof actual === 'number' && actual >= operand ? undefined : `at least ${operand}`;
}

function matchDifferent(actual: unknown, operand: unknown): string | undefined {
  return isDeepStrictEqual(actual, operand) ? `anything but ${show(operand)}` : undefined;
}

function matchPattern(actual: unknown, operand: unknown): string | undefined {
  if (typeof operand !== 'string') throw new Error('$matches takes a regular expression');
  const matches = typeof actual === 'string' && new RegExp(operand).test(actual);
  return matches ? undefined : `text that matches /${operand}/`;
}

function got(wanted: string, actual: unknown): string {
  return `wanted ${wanted}, got ${show(actual)}`;
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
