/** The lists whose pages have a default size and a maximum. */
export type SandboxList = 'scimUsers' | 'scimGroups' | 'companyUsers' | 'groups' | 'auditLogs';

/** Sizes of a page. */
export interface PageLimit {
  /** Size when the request names none. */
  readonly default: number;
  /** A larger request is cut to this; null: no bound. */
  readonly max: number | null;
}

/** Body of a refused call. `documented`: as the public documentation says for each status. */
export type ErrorBody = 'documented' | 'empty' | 'message' | 'html';

/** A user attribute that SCIM updateUser may be allowed to change. */
type UpdatableAttribute = 'active' | 'name' | 'userName' | 'emails';

/**
 * Everything that the public documentation of the service leaves open, as plain data. A sandbox has exactly one shape
 * at a time;
 * it may change while it runs. A shape never changes the stored data, only its acceptance and its form.
 */
export interface SandboxShape {
  /** JSON type of the `id` of a SCIM user. */
  readonly userId: 'number' | 'string';
  /** Form of the `id` of a SCIM group: the REST `id`, the REST `uid`, or an id that REST never shows. */
  readonly groupId: 'rest-id-string' | 'rest-id-number' | 'uid' | 'own';
  /** JSON type of `members[].value` and `groups[].value` in SCIM answers. */
  readonly memberValue: 'number' | 'string';
  /** JSON type of a user id in the operations of SCIM updateGroup. */
  readonly memberValueAccepted: 'number' | 'string' | 'both';
  /** Treatment of `name` by SCIM addUser. */
  readonly createName: 'used' | 'ignored';
  /** Treatment of `userName` by SCIM addUser. */
  readonly createUserName: 'used' | 'ignored' | 'refused';
  /** Entries of `emails` that SCIM addUser accepts. */
  readonly emailsAccepted: 'strings' | 'objects' | 'both';
  /** Entries of `emails` in SCIM answers. */
  readonly emailsReturned: 'strings' | 'objects';
  /** SCIM addUser with the address of a deactivated account. */
  readonly addDeactivatedUser: 'refused' | 'reactivates';
  /** Accounts that may take a licence at the same time; null: any number. */
  readonly seats: number | null;
  /** Status for an account that would take one more. */
  readonly noSeatStatus: 400 | 402 | 403 | 409;
  /** Attributes that SCIM updateUser changes; an operation on any other refuses the whole call. */
  readonly updatable: readonly UpdatableAttribute[];
  /** `lenient` also takes `Replace`, operations without a path, and booleans as text. */
  readonly patchSyntax: 'strict' | 'lenient';
  /**
   * Member operations that SCIM updateGroup accepts: any number of operations with one id each; arrays of `{ value }`;
   * either; one single operation with one id; or no member operation at all.
   */
  readonly memberPatch:
    | 'one-per-operation'
    | 'array'
    | 'both'
    | 'one-operation-per-request'
    | 'none';
  /** True when the answer of SCIM updateGroup carries `members`. */
  readonly patchAnswersMembers: boolean;
  /** True when the groups in a SCIM list carry `members`. */
  readonly listCarriesMembers: boolean;
  /** Treatment of `filter` by SCIM getUsers. Honoured: one comparison with `eq`. */
  readonly filter: 'honoured' | 'ignored' | 'refused';
  readonly errorBody: ErrorBody;
  readonly pages: Readonly<Record<SandboxList, PageLimit>>;
  /** Lists that always answer their first page. */
  readonly offsetIgnoredBy: readonly SandboxList[];
  /**
   * Paging of company users; `section`: only with `for_members_section` or `only_virtual`, otherwise all or the first
   * page.
   */
  readonly companyUsersPaging: 'always' | 'section-else-all' | 'section-else-first-page';
  /** Order of users and groups in lists, by id. */
  readonly listOrder: 'asc' | 'desc';
  /** Order of audit events, by time. */
  readonly auditOrder: 'asc' | 'desc';
  /** Form of `details` in audit events; `string` is JSON text. */
  readonly auditDetails: 'object' | 'string' | 'null';
  /** Deactivated users in groups: kept and addable, not addable, or removed when they are deactivated. */
  readonly inactiveMembers: 'allowed' | 'refused' | 'dropped';
  /** True when the account that creates a group becomes its admin. */
  readonly creatorBecomesAdmin: boolean;
  /** Interfaces in which a taken group name answers 409. */
  readonly uniqueGroupNames: 'everywhere' | 'scim' | 'nowhere';
  /** REST: adding a user who is a member (409) or removing one who is not (404); accepted: 200. */
  readonly repeatedMember: 'refused' | 'accepted';
  /** Status of a successful DELETE; 204 has no body. */
  readonly deleteStatus: 200 | 204;
  /** Status of a successful PATCH; 204 has no body. */
  readonly updateStatus: 200 | 204;
  /** Headers of a rate limit: `Retry-After` with a 429, `X-RateLimit-*` with every answer, or nothing. */
  readonly rateLimitHeaders: 'retry-after' | 'reset' | 'none';
}

/** A partial shape; `pages` too may name only some of the lists. */
export type SandboxShapeChange = Partial<Omit<SandboxShape, 'pages'>> & {
  readonly pages?: Partial<Record<SandboxList, PageLimit>>;
};

/** `documented`: the publicly known shape. `narrowest`: the least a service could take. `generous`: the most. */
export type SandboxPreset = 'documented' | 'narrowest' | 'generous';

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

const hundred: PageLimit = { default: 100, max: 100 };
const unbounded: PageLimit = { default: 100, max: null };

/** The complete shape of each preset. */
export const sandboxPresets: Readonly<Record<SandboxPreset, SandboxShape>> = {
  documented,
  narrowest: {
    ...documented,
    createName: 'ignored',
    emailsAccepted: 'objects',
    memberPatch: 'one-operation-per-request',
    filter: 'ignored',
    errorBody: 'empty',
    pages: {
      scimUsers: hundred,
      scimGroups: hundred,
      companyUsers: hundred,
      groups: hundred,
      auditLogs: hundred,
    },
  },
  generous: {
    ...documented,
    memberValueAccepted: 'both',
    updatable: ['active', 'name', 'userName', 'emails'],
    patchSyntax: 'lenient',
    memberPatch: 'both',
    errorBody: 'message',
    pages: {
      scimUsers: unbounded,
      scimGroups: unbounded,
      companyUsers: unbounded,
      groups: unbounded,
      auditLogs: unbounded,
    },
    repeatedMember: 'accepted',
  },
};

/** `shape` with the named fields replaced. Pure. */
export function changeShape(shape: SandboxShape, change: SandboxShapeChange): SandboxShape {
  return { ...shape, ...change, pages: { ...shape.pages, ...change.pages } };
}
