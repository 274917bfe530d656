import type { WantedLink } from '../directory-groups.ts';
import { Refusal } from '../refusal.ts';
import type { SandboxShape } from '../shape.ts';
import { isObject } from './exchange.ts';
import { parseText } from './parse-values.ts';
import type { PatchOperation } from './scim-operations.ts';

/** A new name, and changed members. */
export interface ScimGroupUpdate {
  readonly name: string | undefined;
  readonly links: readonly WantedLink[];
}

/**
 * Result of the operations of SCIM updateGroup together; of several about one user the last wins. Pure.
 * @throws Refusal 400 when one of them has a form that the service does not take.
 */
export function toGroupUpdate(
  operations: readonly PatchOperation[],
  shape: SandboxShape,
): ScimGroupUpdate {
  let name: string | undefined;
  const presence = new Map<number, boolean>();
  const membersAsked = operations.some(({ path }) => path === 'members');
  if (membersAsked && !takesMembers(operations, shape)) {
    throw new Refusal('bad-request', 'this form of member operations is not supported');
  }
  for (const operation of operations) {
    const { op, path, value } = operation;
    if (path === 'displayName' && op !== 'remove') name = parseText(value, path);
    else if (path === 'members' && op !== 'replace') {
      for (const userId of parseMembers(value, shape)) presence.set(userId, op === 'add');
    } else {
      throw new Refusal('bad-request', `operation '${op}' is not available for path '${path}'`);
    }
  }
  const links = [...presence].map(([userId, present]) => ({
    link: 'member' as const,
    userId,
    present,
  }));
  return { name, links };
}

function takesMembers(operations: readonly PatchOperation[], shape: SandboxShape): boolean {
  if (shape.memberPatch === 'none') return false;
  return shape.memberPatch !== 'one-operation-per-request' || operations.length === 1;
}

function parseMembers(value: unknown, shape: SandboxShape): number[] {
  const { memberPatch } = shape;
  if (Array.isArray(value) && (memberPatch === 'array' || memberPatch === 'both')) {
    return value.map((entry) => parseMemberId(isObject(entry) ? entry.value : undefined, shape));
  }
  if (memberPatch === 'array') throw new Refusal('bad-request', 'value should be array');
  return [parseMemberId(value, shape)];
}

function parseMemberId(value: unknown, { memberValueAccepted }: SandboxShape): number {
  if (Number.isSafeInteger(value) && memberValueAccepted !== 'string') return Number(value);
  const isText = typeof value === 'string' && /^\d{1,15}$/.test(value);
  if (isText && memberValueAccepted !== 'number') return Number(value);
  throw new Refusal('bad-request', `value should be ${memberValueAccepted}`);
}
