import { Refusal } from '../refusal.ts';
import {
  changeShape,
  type PageLimit,
  type SandboxShape,
  type SandboxShapeChange,
  sandboxPresets,
} from '../shape.ts';
import { isObject } from './exchange.ts';

type Choice = Exclude<keyof SandboxShape, 'pages' | 'updatable' | 'offsetIgnoredBy' | 'seats'>;

const trueOrFalse = [true, false] as const;

const choices: { readonly [Key in Choice]: readonly SandboxShape[Key][] } = {
  userId: ['number', 'string'],
  groupId: ['rest-id-string', 'rest-id-number', 'uid', 'own'],
  memberValue: ['number', 'string'],
  memberValueAccepted: ['number', 'string', 'both'],
  createName: ['used', 'ignored'],
  createUserName: ['used', 'ignored', 'refused'],
  emailsAccepted: ['strings', 'objects', 'both'],
  emailsReturned: ['strings', 'objects'],
  addDeactivatedUser: ['refused', 'reactivates'],
  noSeatStatus: [400, 402, 403, 409],
  patchSyntax: ['strict', 'lenient'],
  memberPatch: ['one-per-operation', 'array', 'both', 'one-operation-per-request', 'none'],
  patchAnswersMembers: trueOrFalse,
  listCarriesMembers: trueOrFalse,
  filter: ['honoured', 'ignored', 'refused'],
  errorBody: ['documented', 'empty', 'message', 'html'],
  companyUsersPaging: ['always', 'section-else-all', 'section-else-first-page'],
  listOrder: ['asc', 'desc'],
  auditOrder: ['asc', 'desc'],
  auditDetails: ['object', 'string', 'null'],
  inactiveMembers: ['allowed', 'refused', 'dropped'],
  creatorBecomesAdmin: trueOrFalse,
  uniqueGroupNames: ['everywhere', 'scim', 'nowhere'],
  repeatedMember: ['refused', 'accepted'],
  deleteStatus: [200, 204],
  updateStatus: [200, 204],
  rateLimitHeaders: ['retry-after', 'reset', 'none'],
};

const attributes: readonly unknown[] = ['active', 'name', 'userName', 'emails'];
const lists: readonly unknown[] = Object.keys(sandboxPresets.documented.pages);

/**
 * Parses a body of `PATCH /_sandbox/shape`: `preset` first, the other fields over it.
 * @throws Refusal 400 naming the field that is unknown or has an impossible value.
 */
export function parseShapeChange(body: unknown): SandboxShapeChange {
  if (!isObject(body)) throw new Refusal('bad-request', 'a shape should be an object');
  const { preset, ...fields } = body;
  for (const [name, value] of Object.entries(fields)) {
    if (!isAllowed(name, value))
      throw new Refusal('bad-request', `shape: '${name}' cannot be that`);
  }
  const change = fields as SandboxShapeChange;
  return preset === undefined ? change : changeShape(parsePreset(preset), change);
}

/** The shape of a named preset. @throws Refusal 400 for another name. */
export function parsePreset(name: unknown): SandboxShape {
  if (name === 'documented' || name === 'narrowest' || name === 'generous') {
    return sandboxPresets[name];
  }
  throw new Refusal('bad-request', `shape: no preset '${String(name)}'`);
}

function isAllowed(name: string, value: unknown): boolean {
  switch (name) {
    case 'pages':
      return isObject(value) && Object.entries(value).every(isPage);
    case 'updatable':
      return Array.isArray(value) && value.every((item) => attributes.includes(item));
    case 'seats':
      return value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
    case 'offsetIgnoredBy':
      return Array.isArray(value) && value.every((item) => lists.includes(item));
    default: {
      const allowed = new Map<string, readonly unknown[]>(Object.entries(choices)).get(name);
      return allowed?.includes(value) ?? false;
    }
  }
}

function isPage([list, limit]: [string, unknown]): boolean {
  return lists.includes(list) && isPageLimit(limit);
}

function isPageLimit(value: unknown): value is PageLimit {
  if (!isObject(value)) return false;
  const { default: fallback, max } = value;
  const isSize = (size: unknown) => Number.isSafeInteger(size) && Number(size) >= 1;
  return isSize(fallback) && (max === null || isSize(max));
}
