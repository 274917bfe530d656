import { z } from 'zod';
import { isObject, parse, Refusal } from './refusal.ts';

/** Body of a refused call. `documented`: as the public documentation says for each status. */
export const ERROR_BODIES = ['documented', 'empty', 'message', 'html'] as const;
/** One of these bodies. */
export type ErrorBody = (typeof ERROR_BODIES)[number];

/** Sizes of a page: when the request names none, and at most; null: no bound. */
const pageLimit = z.strictObject({ default: z.int().min(1), max: z.int().min(1).nullable() });
type PageLimit = z.infer<typeof pageLimit>;

/** Lists whose pages have a default size and a maximum. */
const LISTS = ['scimUsers', 'scimGroups', 'companyUsers', 'groups', 'auditLogs'] as const;
/** One of these lists. */
export type SandboxList = (typeof LISTS)[number];

/** Each field with the value of the documented service. */
const shape = z.strictObject({
  /** JSON type of the `id` of a SCIM user. */
  userId: z.enum(['number', 'string']).default('number'),
  /** Form of the `id` of a SCIM group: the REST `id`, the REST `uid`, or an id that REST never shows. */
  groupId: z.enum(['rest-id-string', 'rest-id-number', 'uid', 'own']).default('rest-id-string'),
  /** JSON type of `members[].value` and `groups[].value` in SCIM answers. */
  memberValue: z.enum(['number', 'string']).default('number'),
  /** JSON type of a user id in the operations of SCIM updateGroup. */
  memberValueAccepted: z.enum(['number', 'string', 'both']).default('number'),
  /** Treatment of `name` by SCIM addUser. */
  createName: z.enum(['used', 'ignored']).default('used'),
  /** Treatment of `userName` by SCIM addUser. */
  createUserName: z.enum(['used', 'ignored', 'refused']).default('used'),
  /** Entries of `emails` that SCIM addUser accepts. */
  emailsAccepted: z.enum(['strings', 'objects', 'both']).default('both'),
  /** Entries of `emails` in SCIM answers. */
  emailsReturned: z.enum(['strings', 'objects']).default('objects'),
  /** SCIM addUser with the address of a deactivated account. */
  addDeactivatedUser: z.enum(['refused', 'reactivates']).default('refused'),
  /** Accounts that may take a licence at the same time; null: any number. */
  seats: z.int().min(0).nullable().default(null),
  /** Status for an account that would take one more. */
  noSeatStatus: z.literal([400, 402, 403, 409]).default(402),
  /** Attributes that SCIM updateUser changes; an operation on any other refuses the whole call. */
  updatable: z
    .array(z.enum(['active', 'name', 'userName', 'emails']))
    .readonly()
    .default(['active', 'name']),
  /** `lenient` also takes `Replace`, operations without a path, and booleans as text. */
  patchSyntax: z.enum(['strict', 'lenient']).default('strict'),
  /**
   * Member operations that SCIM updateGroup accepts: any number of operations with one id each; arrays of `{ value }`;
   * either; one single operation with one id; or no member operation at all.
   */
  memberPatch: z
    .enum(['one-per-operation', 'array', 'both', 'one-operation-per-request', 'none'])
    .default('one-per-operation'),
  /** True when the answer of SCIM updateGroup carries `members`. */
  patchAnswersMembers: z.boolean().default(true),
  /** True when the groups in a SCIM list carry `members`. */
  listCarriesMembers: z.boolean().default(true),
  /** Treatment of `filter` by SCIM getUsers. Honoured: one comparison with `eq`. */
  filter: z.enum(['honoured', 'ignored', 'refused']).default('honoured'),
  errorBody: z.enum(ERROR_BODIES).default('documented'),
  pages: z.record(z.enum(LISTS), pageLimit).default({
    scimUsers: { default: 100, max: 500 },
    scimGroups: { default: 100, max: 500 },
    companyUsers: { default: 100, max: 100 },
    groups: { default: 100, max: null },
    auditLogs: { default: 100, max: 500 },
  }),
  /** Lists that always answer their first page. */
  offsetIgnoredBy: z.array(z.enum(LISTS)).readonly().default([]),
  /**
   * Paging of company users; `section`: only with `for_members_section` or `only_virtual`, otherwise all or the first
   * page.
   */
  companyUsersPaging: z
    .enum(['always', 'section-else-all', 'section-else-first-page'])
    .default('always'),
  /** Order of users and groups in lists, by id. */
  listOrder: z.enum(['asc', 'desc']).default('asc'),
  /** Order of audit events, by time. */
  auditOrder: z.enum(['asc', 'desc']).default('desc'),
  /** Form of `details` in audit events; `string` is JSON text. */
  auditDetails: z.enum(['object', 'string', 'null']).default('object'),
  /** Deactivated users in groups: kept and addable, not addable, or removed when they are deactivated. */
  inactiveMembers: z.enum(['allowed', 'refused', 'dropped']).default('allowed'),
  /** True when the account that creates a group becomes its admin. */
  creatorBecomesAdmin: z.boolean().default(false),
  /** Interfaces in which a taken group name answers 409. */
  uniqueGroupNames: z.enum(['everywhere', 'scim', 'nowhere']).default('everywhere'),
  /** REST: adding a user who is a member (409) or removing one who is not (404); accepted: 200. */
  repeatedMember: z.enum(['refused', 'accepted']).default('refused'),
  /** Status of a successful DELETE; 204 has no body. */
  deleteStatus: z.literal([200, 204]).default(200),
  /** Status of a successful PATCH; 204 has no body. */
  updateStatus: z.literal([200, 204]).default(200),
  /** Headers of a rate limit: `Retry-After` with a 429, `X-RateLimit-*` with every answer, or nothing. */
  rateLimitHeaders: z.enum(['retry-after', 'reset', 'none']).default('reset'),
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

const documented: SandboxShape = shape.parse({});

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

function toPages(limit: PageLimit): SandboxShape['pages'] {
  return {
    ...{ scimUsers: limit, scimGroups: limit, companyUsers: limit },
    ...{ groups: limit, auditLogs: limit },
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
export function parseShapeChange(base: SandboxShape, body: unknown): SandboxShape {
  const { preset, ...fields } = isObject(body) ? body : { fields: body };
  const start = preset === undefined ? base : parsePreset(preset);
  return parse(shape, { ...start, ...fields, pages: { ...start.pages, ...Object(fields.pages) } });
}

/** The shape of a named preset. @throws Refusal 400 for another name */
function parsePreset(name: unknown): SandboxShape {
  if (name === 'documented' || name === 'narrowest' || name === 'generous') {
    return sandboxPresets[name];
  }
  throw new Refusal(400, `shape: no preset '${String(name)}'`);
}
