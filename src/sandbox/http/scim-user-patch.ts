import type { UserUpdate } from '../directory-users.ts';
import type { SandboxUser } from '../model.ts';
import { Refusal } from '../refusal.ts';
import type { SandboxShape } from '../shape.ts';
import { isObject } from './exchange.ts';
import { parseText } from './parse-values.ts';
import { parseEmails } from './scim-emails.ts';
import { type PatchOperation, parseBoolean } from './scim-operations.ts';
import { joinName, type NameParts, splitName } from './scim-resources.ts';

type Draft = { -readonly [Key in keyof UserUpdate]: UserUpdate[Key] } & { name: NameParts };

/**
 * Result of the operations of SCIM updateUser together; the account is not touched. Pure.
 * @throws Refusal 400 when the service does not update one of the attributes.
 */
export function toUserUpdate(
  user: SandboxUser,
  operations: readonly PatchOperation[],
  shape: SandboxShape,
): UserUpdate {
  const draft: Draft = { name: splitName(user.fullName) };
  for (const operation of operations) applyOperation(draft, operation, shape);
  const { name, ...update } = draft;
  const renamed = operations.some(({ path }) => path === 'name' || path.startsWith('name.'));
  return renamed ? { ...update, fullName: joinName(name) } : update;
}

function applyOperation(draft: Draft, operation: PatchOperation, shape: SandboxShape): void {
  const { op, path, value } = operation;
  const attribute = path.split('.')[0];
  if (!shape.updatable.some((name) => name === attribute)) refuse(operation);
  switch (path) {
    case 'active':
      if (op !== 'replace') refuse(operation); // The only op that the service documents for it.
      draft.active = parseBoolean(value, shape);
      break;
    case 'userName':
      draft.userName = parseText(value, path);
      break;
    case 'emails':
      draft.email = parseEmails(value, shape);
      break;
    default:
      draft.name = toName(draft.name, operation);
  }
}

function toName(name: NameParts, operation: PatchOperation): NameParts {
  const { op, path, value } = operation;
  if (path === 'name' && op !== 'remove') {
    return { ...(op === 'add' ? name : noName), ...parseNameParts(value) };
  }
  if (path !== 'name.givenName' && path !== 'name.familyName') refuse(operation);
  const part = op === 'remove' ? '' : parseText(value, path, { min: 0 });
  return path === 'name.givenName' ? { ...name, givenName: part } : { ...name, familyName: part };
}

const noName: NameParts = { givenName: '', familyName: '' };

/** `{ givenName, familyName }`, either or both. @throws Refusal 400 for anything else. */
export function parseNameParts(value: unknown): Partial<NameParts> {
  if (!isObject(value)) throw new Refusal('bad-request', 'name should be object');
  const { givenName, familyName } = value;
  return {
    ...(givenName === undefined
      ? {}
      : { givenName: parseText(givenName, 'givenName', { min: 0 }) }),
    ...(familyName === undefined
      ? {}
      : { familyName: parseText(familyName, 'familyName', { min: 0 }) }),
  };
}

function refuse({ op, path }: PatchOperation): never {
  throw new Refusal('bad-request', `operation '${op}' is not available for path '${path}'`);
}
