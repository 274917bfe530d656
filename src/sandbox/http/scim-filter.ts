import type { Directory } from '../directory.ts';
import type { SandboxUser } from '../model.ts';
import { Refusal } from '../refusal.ts';
import { splitName } from './scim-resources.ts';

const comparison = /^\s*([\w.]+)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false|\d+)\s*$/i;

/**
 * The users that a filter names. The service documents a `filter` and no grammar; its clients send one comparison
 * with `eq`.
 * Text compares without case.
 * @throws Refusal 400 for anything else.
 */
export function listFilteredUsers(directory: Directory, filter: string): SandboxUser[] {
  const [, attribute, literal] = comparison.exec(filter) ?? [];
  if (attribute === undefined || literal === undefined) refuse(filter);
  const wanted = parseLiteral(literal, filter);
  const { state } = directory;
  switch (attribute) {
    case 'id':
      return optional(/^\d{1,15}$/.test(wanted) ? state.users.find(Number(wanted)) : undefined);
    case 'userName':
      return optional(state.findUserByUserName(wanted));
    case 'emails':
    case 'emails.value':
      return optional(state.findUserByEmail(wanted));
    case 'active':
      return state.users.all().filter(({ active }) => String(active) === wanted);
    case 'name.givenName':
    case 'name.familyName': {
      const part = attribute === 'name.givenName' ? 'givenName' : 'familyName';
      const isWanted = ({ fullName }: SandboxUser) =>
        splitName(fullName)[part].toLowerCase() === wanted;
      return state.users.all().filter(isWanted);
    }
    default:
      return refuse(filter);
  }
}

/** The compared value, as lower-case text. */
function parseLiteral(literal: string, filter: string): string {
  if (!literal.startsWith('"')) return literal.toLowerCase();
  try {
    return String(JSON.parse(literal)).toLowerCase();
  } catch (cause) {
    throw new Refusal('bad-request', `filter not understood: ${filter}`, { cause });
  }
}

function optional(user: SandboxUser | undefined): SandboxUser[] {
  return user === undefined ? [] : [user];
}

function refuse(filter: string): never {
  throw new Refusal('bad-request', `filter not understood: ${filter}`);
}
