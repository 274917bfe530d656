import { Refusal } from '../refusal.ts';
import type { SandboxShape } from '../shape.ts';
import { isObject } from './exchange.ts';

/** One entry of `Operations`, of a known op; its resource checks path and value. */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value: unknown;
}

const operationsMax = 10_000;

/**
 * The operations of a SCIM PATCH. The documented service knows only `op` in lower case with a `path`; the lenient one
 * also the other forms of RFC 7644 §3.5.2.
 * @throws Refusal 400 when there are none or one is malformed.
 */
export function parseOperations(
  body: Record<string, unknown>,
  { patchSyntax }: SandboxShape,
): PatchOperation[] {
  const list = body.Operations;
  if (!Array.isArray(list) || list.length === 0 || list.length > operationsMax) {
    throw new Refusal('bad-request', "Body should have required property '.Operations'");
  }
  return list.flatMap((item) => parseOperation(item, patchSyntax === 'lenient'));
}

/** A boolean; the lenient shape takes text too. @throws Refusal 400 for anything else. */
export function parseBoolean(value: unknown, { patchSyntax }: SandboxShape): boolean {
  if (typeof value === 'boolean') return value;
  const text = patchSyntax === 'lenient' ? String(value).toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Refusal('bad-request', 'value should be boolean');
}

function parseOperation(item: unknown, lenient: boolean): PatchOperation[] {
  if (!isObject(item)) throw new Refusal('bad-request', 'an operation should be an object');
  const op = parseOp(item.op, lenient);
  if (typeof item.path === 'string') return [{ op, path: item.path, value: item.value }];
  if (!lenient || !isObject(item.value)) {
    throw new Refusal('bad-request', 'an operation should have a path');
  }
  return Object.entries(item.value).map(([path, value]) => ({ op, path, value }));
}

function parseOp(op: unknown, lenient: boolean): PatchOperation['op'] {
  const name = lenient && typeof op === 'string' ? op.toLowerCase() : op;
  if (name === 'add' || name === 'replace' || name === 'remove') return name;
  throw new Refusal('bad-request', 'op should be add, replace or remove');
}
