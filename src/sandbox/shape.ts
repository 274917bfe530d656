import { z } from 'zod';
import { parse } from './refusal.ts';

/** Body of a refused call. `documented`: as the public documentation says for each status. */
export const ERROR_BODIES = ['documented', 'empty', 'message', 'html'] as const;
/** One of these bodies. */
export type ErrorBody = (typeof ERROR_BODIES)[number];

/** Sizes of a page: when the request names none, and at most; null: no bound. */
const pageLimit = z.strictObject({ default: z.int().min(1), max: z.int().min(1).nullable() });

/** Lists whose pages have a default size and a maximum. */
const LISTS = ['scimUsers', 'scimGroups', 'companyUsers', 'groups', 'auditLogs'] as const;
/** One of these lists. */
export type SandboxList = (typeof LISTS)[number];

/** Each field with the value of the documented service. */
const shape = z.strictObject({
  /** JSON type of user ids in SCIM answers. */
  userId: z.enum(['number', 'string']).default('number'),
  /** Form of the `id` of a SCIM group: the REST `id` as text, the REST `uid`, or an id that REST never shows. */
  groupId: z.enum(['rest-id', 'uid', 'own']).default('rest-id'),
  /** Treatment of `name` by SCIM addUser. */
  createName: z.enum(['used', 'ignored']).default('used'),
  /** Treatment of `userName` by SCIM addUser. */
  createUserName: z.enum(['used', 'refused']).default('used'),
  /** Entries of `emails` that SCIM takes. Answers have objects unless it takes strings alone. */
  emailsAccepted: z.enum(['strings', 'objects', 'both']).default('both'),
  /** Accounts that may take a licence at the same time; null: any number. */
  seats: z.int().min(0).nullable().default(null),
  /** Status for an account that would take one more. */
  noSeatStatus: z.literal([400, 402, 403, 409]).default(402),
  /** Attributes that SCIM updateUser changes; an operation on any other refuses the whole call. */
  updatable: z
    .array(z.enum(['active', 'name', 'userName', 'emails']))
    .readonly()
    .default(['active', 'name']),
  /**
   * Member operations that SCIM updateGroup accepts: any number of operations with one id each; arrays of `{ value }`;
   * either; one single operation with one id; or no member operation at all.
   */
  memberPatch: z
    .enum(['one-per-operation', 'array', 'both', 'one-operation-per-request', 'none'])
    .default('one-per-operation'),
  /** True when the groups of SCIM getGroups and updateGroup carry `members`. */
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
  /** Order of audit events, by time. */
  auditOrder: z.enum(['asc', 'desc']).default('desc'),
  /** Form of `details` in audit events; `string` is JSON text. */
  auditDetails: z.enum(['object', 'string', 'null']).default('object'),
  /** Deactivated users in groups: kept and addable, not addable, or removed when they are deactivated. */
  inactiveMembers: z.enum(['allowed', 'refused', 'dropped']).default('allowed'),
  /** True when the account that creates a group becomes its admin. */
  creatorBecomesAdmin: z.boolean().default(false),
  /** Whether a taken group name answers 409. */
  uniqueGroupNames: z.enum(['everywhere', 'nowhere']).default('everywhere'),
  /** Status of a successful PATCH or DELETE; 204 has no body. */
  changeStatus: z.literal([200, 204]).default(200),
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
const SMALL = { default: 100, max: 100 };

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
    pages: { ...documented.pages, scimUsers: SMALL, scimGroups: SMALL, auditLogs: SMALL },
  },
  generous: {
    ...documented,
    updatable: ['active', 'name', 'userName', 'emails'],
    memberPatch: 'both',
    errorBody: 'message',
  },
} as const satisfies Readonly<Record<string, SandboxShape>>;

/** Name of a preset. */
export type SandboxPreset = keyof typeof sandboxPresets;

/** `base` with the named fields replaced, or the preset. */
export function changeShape(
  base: SandboxShape,
  change: SandboxPreset | SandboxShapeChange,
): SandboxShape {
  if (typeof change === 'string') return sandboxPresets[change];
  return { ...base, ...change, pages: { ...base.pages, ...change.pages } };
}

const presetName = z.enum(['documented', 'narrowest', 'generous']);
const shapeChange = z.looseObject({ preset: presetName.optional() });

/**
 * Parses a body of `PATCH /_sandbox/shape`: `preset` first, the other fields over it.
 * @throws Refusal 400 naming what is unknown or has an impossible value
 */
export function parseShapeChange(base: SandboxShape, body: unknown): SandboxShape {
  const { preset, ...fields } = parse(shapeChange, body);
  const start = preset ? sandboxPresets[preset] : base;
  return parse(shape, { ...start, ...fields, pages: { ...start.pages, ...Object(fields.pages) } });
}
