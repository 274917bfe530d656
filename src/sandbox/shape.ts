import { z } from 'zod';
import { isObject, parse, Refusal } from './refusal.ts';

/** Body of a refused call. `documented`: as the public documentation says for each status. */
export const ERROR_BODIES = ['documented', 'empty', 'message', 'html'] as const;
/** One of these bodies. */
export type ErrorBody = (typeof ERROR_BODIES)[number];

/** Sizes of a page: when the request names none, and at most; null: no bound. */
const pageLimit = z.strictObject({ default: z.int().min(1), max: z.int().min(1).nullable() });

const pages = z.strictObject({
  scimUsers: pageLimit,
  scimGroups: pageLimit,
  companyUsers: pageLimit,
  groups: pageLimit,
  auditLogs: pageLimit,
});
const lists = pages.keyof();

/** Lists whose pages have a default size and a maximum. */
export type SandboxList = z.infer<typeof lists>;

const shape = z.strictObject({
  /** JSON type of the `id` of a SCIM user. */
  userId: z.enum(['number', 'string']),
  /** Form of the `id` of a SCIM group: the REST `id`, the REST `uid`, or an id that REST never shows. */
  groupId: z.enum(['rest-id-string', 'rest-id-number', 'uid', 'own']),
  /** JSON type of `members[].value` and `groups[].value` in SCIM answers. */
  memberValue: z.enum(['number', 'string']),
  /** JSON type of a user id in the operations of SCIM updateGroup. */
  memberValueAccepted: z.enum(['number', 'string', 'both']),
  /** Treatment of `name` by SCIM addUser. */
  createName: z.enum(['used', 'ignored']),
  /** Treatment of `userName` by SCIM addUser. */
  createUserName: z.enum(['used', 'ignored', 'refused']),
  /** Entries of `emails` that SCIM addUser accepts. */
  emailsAccepted: z.enum(['strings', 'objects', 'both']),
  /** Entries of `emails` in SCIM answers. */
  emailsReturned: z.enum(['strings', 'objects']),
  /** SCIM addUser with the address of a deactivated account. */
  addDeactivatedUser: z.enum(['refused', 'reactivates']),
  /** Accounts that may take a licence at the same time; null: any number. */
  seats: z.int().min(0).nullable(),
  /** Status for an account that would take one more. */
  noSeatStatus: z.literal([400, 402, 403, 409]),
  /** Attributes that SCIM updateUser changes; an operation on any other refuses the whole call. */
  updatable: z.array(z.enum(['active', 'name', 'userName', 'emails'])).readonly(),
  /** `lenient` also takes `Replace`, operations without a path, and booleans as text. */
  patchSyntax: z.enum(['strict', 'lenient']),
  /**
   * Member operations that SCIM updateGroup accepts: any number of operations with one id each; arrays of `{ value }`;
   * either; one single operation with one id; or no member operation at all.
   */
  memberPatch: z.enum(['one-per-operation', 'array', 'both', 'one-operation-per-request', 'none']),
  /** True when the answer of SCIM updateGroup carries `members`. */
  patchAnswersMembers: z.boolean(),
  /** True when the groups in a SCIM list carry `members`. */
  listCarriesMembers: z.boolean(),
  /** Treatment of `filter` by SCIM getUsers. Honoured: one comparison with `eq`. */
  filter: z.enum(['honoured', 'ignored', 'refused']),
  errorBody: z.enum(ERROR_BODIES),
  pages,
  /** Lists that always answer their first page. */
  offsetIgnoredBy: z.array(lists).readonly(),
  /**
   * Paging of company users; `section`: only with `for_members_section` or `only_virtual`, otherwise all or the first
   * page.
   */
  companyUsersPaging: z.enum(['always', 'section-else-all', 'section-else-first-page']),
  /** Order of users and groups in lists, by id. */
  listOrder: z.enum(['asc', 'desc']),
  /** Order of audit events, by time. */
  auditOrder: z.enum(['asc', 'desc']),
  /** Form of `details` in audit events; `string` is JSON text. */
  auditDetails: z.enum(['object', 'string', 'null']),
  /** Deactivated users in groups: kept and addable, not addable, or removed when they are deactivated. */
  inactiveMembers: z.enum(['allowed', 'refused', 'dropped']),
  /** True when the account that creates a group becomes its admin. */
  creatorBecomesAdmin: z.boolean(),
  /** Interfaces in which a taken group name answers 409. */
  uniqueGroupNames: z.enum(['everywhere', 'scim', 'nowhere']),
  /** REST: adding a user who is a member (409) or removing one who is not (404); accepted: 200. */
  repeatedMember: z.enum(['refused', 'accepted']),
  /** Status of a successful DELETE; 204 has no body. */
  deleteStatus: z.literal([200, 204]),
  /** Status of a successful PATCH; 204 has no body. */
  updateStatus: z.literal([200, 204]),
  /** Headers of a rate limit: `Retry-After` with a 429, `X-RateLimit-*` with every answer, or nothing. */
  rateLimitHeaders: z.enum(['retry-after', 'reset', 'none']),
});

/**
 * Everything that the public documentation of the service leaves open, as plain data. A sandbox has exactly one shape
 * at a time; it may change while it runs. A shape never changes the stored data, only its acceptance and its form.
 */
export type SandboxShape = Readonly<z.infer<typeof shape>>;

/** A partial shape; `pages` too may name only some of the lists. */
export type SandboxShapeChange = Partial<Omit<SandboxShape, 'pages'>> & {
  readonly pages?: Partial<SandboxShape['pages']>;
};

const shapeChange = shape.partial().extend({ pages: pages.partial().optional() });

const documented: SandboxShape = {
  userId: 'number',
  groupId: 'rest-id-string',
  memberValue: 'number',
  memberValueAccepted: 'number',
  createName: 'used',
  createUserName: 'used',
  emailsAccepted: 'both',
  emailsReturned: 'objects',
  addDeactivatedUser: 'refused',
  seats: null,
  noSeatStatus: 402,
  updatable: ['active', 'name'],
  patchSyntax: 'strict',
  memberPatch: 'one-per-operation',
  patchAnswersMembers: true,
  listCarriesMembers: true,
  filter: 'honoured',
  errorBody: 'documented',
  pages: {
    scimUsers: { default: 100, max: 500 },
    scimGroups: { default: 100, max: 500 },
    companyUsers: { default: 100, max: 100 },
    groups: { default: 100, max: null },
    auditLogs: { default: 100, max: 500 },
  },
  offsetIgnoredBy: [],
  companyUsersPaging: 'always',
  listOrder: 'asc',
  auditOrder: 'desc',
  auditDetails: 'object',
  inactiveMembers: 'allowed',
  creatorBecomesAdmin: false,
  uniqueGroupNames: 'everywhere',
  repeatedMember: 'refused',
  deleteStatus: 200,
  updateStatus: 200,
  rateLimitHeaders: 'reset',
};

/** The complete shape of each preset: the publicly known one, the least a service could take, the most. */
export const sandboxPresets = {
  documented,
  narrowest: {
    ...documented,
    createName: 'ignored',
    emailsAccepted: 'objects',
    memberPatch: 'one-operation-per-request',
    filter: 'ignored',
    errorBody: 'empty',
    pages: toPages({ default: 100, max: 100 }),
  },
  generous: {
    ...documented,
    memberValueAccepted: 'both',
    updatable: ['active', 'name', 'userName', 'emails'],
    patchSyntax: 'lenient',
    memberPatch: 'both',
    errorBody: 'message',
    pages: toPages({ default: 100, max: null }),
    repeatedMember: 'accepted',
  },
} as const satisfies Readonly<Record<string, SandboxShape>>;

/** Name of a preset. */
export type SandboxPreset = keyof typeof sandboxPresets;

function toPages(limit: z.infer<typeof pageLimit>): SandboxShape['pages'] {
  return {
    scimUsers: limit,
    scimGroups: limit,
    companyUsers: limit,
    groups: limit,
    auditLogs: limit,
  };
}

/** `base` with the named fields replaced. */
export function changeShape(base: SandboxShape, change: SandboxShapeChange): SandboxShape {
  return { ...base, ...change, pages: { ...base.pages, ...change.pages } };
}

/**
 * Parses a body of `PATCH /_sandbox/shape`: `preset` first, the other fields over it.
 * @throws Refusal 400 naming the field that is unknown or has an impossible value
 */
export function parseShapeChange(body: unknown): SandboxShapeChange {
  const { preset, ...fields } = isObject(body) ? body : { fields: body };
  const change = parse(shapeChange, fields) as SandboxShapeChange;
  return preset === undefined ? change : changeShape(parsePreset(preset), change);
}

/** The shape of a named preset. @throws Refusal 400 for another name */
export function parsePreset(name: unknown): SandboxShape {
  if (name === 'documented' || name === 'narrowest' || name === 'generous') {
    return sandboxPresets[name];
  }
  throw new Refusal(400, `shape: no preset '${String(name)}'`);
}
