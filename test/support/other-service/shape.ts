import type { JsonObject } from '../../../src/domain/json.ts';

/** What the documents of the service leave open, one answer each. docs/upstream-uncertainties.md tells what the bridge does. */
export interface OtherShape {
  /** The id of a SCIM user in answers. */
  readonly userIds: 'texts' | 'numbers';
  /** Which id of a group SCIM uses. */
  readonly groupIds: 'uid' | 'id';
  /**
   * How names are kept: as they were given, or as one full name of which the last or first word, or none, is shown apart;
   * or with the family name first.
   */
  readonly names: 'last word' | 'first word' | 'one' | 'family first' | 'parts';
  /** Letters of names of people and groups: as they were sent, all of them capital ones, or escaped for HTML. */
  readonly letters: 'kept' | 'capitals' | 'escaped';
  /** The userName of a new person: made of the address, as it was sent, or refused where it is no plain word. */
  readonly userNames: 'made' | 'kept' | 'refused';
  /** Capital letters of addresses. */
  readonly addresses: 'lowered' | 'kept';
  /** The entries of `emails` of a new person; others are refused or, where it takes nothing but objects, an error of its own. */
  readonly emails: 'objects' | 'texts' | 'either' | 'nothing but objects';
  /** What a new person with the address of somebody inactive becomes: the old one, active again, or a 409. */
  readonly returning: 'restored' | 'refused';
  /** What a PATCH of a user does with `userName` and `emails`. */
  readonly addressUpdates: 'ignored' | 'refused' | 'accepted';
  /** What an answer with one group, or one person of the company, is: itself, or the only entry of a list. */
  readonly singles: 'alone' | 'in a list';
  /** What a PATCH answers with: what was there before, what is there now, or nothing. */
  readonly patchAnswers: 'old' | 'new' | '204';
  /** What several members in one SCIM PATCH are: a list in one operation, an operation each, or too many. */
  readonly batches: 'lists' | 'operations' | 'refused';
  /** Who is put into a group as a member while not active. */
  readonly inactiveMembers: 'refused' | 'accepted';
  /** What deactivation does to memberships. */
  readonly deactivation: 'leaves groups' | 'keeps groups';
  /**
   * What a second addition, or the removal of what is not there, is answered with: 409 or 404, 400, or as the first; with
   * 400 a second deactivation is too.
   */
  readonly repeated: 'refused' | 'invalid' | 'fine';
  /** What somebody who creates a group is in it. */
  readonly creator: 'admin' | 'nothing' | 'member';
  /** Two groups with one name. */
  readonly groupNames: 'unique' | 'any';
  /** What is left of a removed group: nothing, or itself for those who know its id. */
  readonly removedGroups: 'found by id' | 'gone';
  /** What a list of REST is: itself, or a field of an object. */
  readonly lists: 'bare' | 'wrapped';
  /** What the answer is where a list of REST has nobody. */
  readonly emptyLists: 'lists' | 'null' | 'no content';
  /** The order of all lists but the audit log. */
  readonly order: 'newest first' | 'by name' | 'oldest first';
  /** What `totalResults` counts: nothing, all, this page, or those who are not listed too. */
  readonly totals: 'absent' | 'right' | 'page' | 'too many';
  /** The most entries of one page, whatever was asked for. */
  readonly pageMax: { readonly scim: number; readonly rest: number; readonly audit: number };
  /** What begins after the last entry. */
  readonly beyondEnd: 'empty' | 'refused';
  /** What `startIndex` and `offset` do; ignored: the list is one page. */
  readonly offsets: 'followed' | 'ignored';
  /** How `filter` compares; ignored: everybody is listed; refused: 400. */
  readonly filter: 'exact' | 'ignored' | 'refused' | 'any case';
  /** Whether the list of groups tells who is in them. */
  readonly listedMembers: 'absent' | 'shown';
  /** Whether lists show inactive people. */
  readonly listedInactive: 'left out' | 'shown';
  /** How old lists are, in milliseconds; what is asked for by its id is always new. */
  readonly listsLateMs: number;
  /** Whether the service tells whose token it is. */
  readonly currentUser: 'absent' | 'known';
  /** `apps_permissions`, documented as one and shown as the other. */
  readonly licences: 'texts' | 'numbers';
  /** How many people may work at the same time; 0: any number. */
  readonly seats: number;
  /** The answer for one more: the status that is meant for what was not bought, or another with words. */
  readonly noSeat: 402 | 'words';
  /** The answer for what is not there. */
  readonly missing: 403 | 404;
  /** How a 429 says how long to wait. */
  readonly tooMany: 'nothing' | 'date' | 'seconds' | 'epoch seconds' | 'epoch ms';
  /** Calls that the service takes in a second; 0: any number. */
  readonly callsPerSecond: number;
  /** How long the service takes for an answer, in milliseconds. */
  readonly slowMs: number;
  /** What the audit log calls what was done. */
  readonly auditWords: 'of admins' | 'plain' | 'none known';
  /** How an event says to whom it was done. */
  readonly auditDetails: 'message' | 'object' | 'text' | 'nothing';
  readonly auditOrder: 'oldest first' | 'newest first';
  /** How long it takes until an event can be read, in milliseconds. */
  readonly auditLateMs: number;
}

/** A service that answers otherwise than one would expect wherever it may. */
export const OTHER_SHAPE: OtherShape = {
  userIds: 'texts',
  groupIds: 'uid',
  names: 'last word',
  letters: 'kept',
  userNames: 'made',
  addresses: 'lowered',
  emails: 'objects',
  returning: 'restored',
  addressUpdates: 'ignored',
  singles: 'alone',
  patchAnswers: 'old',
  batches: 'lists',
  inactiveMembers: 'refused',
  deactivation: 'keeps groups',
  repeated: 'refused',
  creator: 'admin',
  groupNames: 'unique',
  removedGroups: 'found by id',
  lists: 'wrapped',
  emptyLists: 'lists',
  order: 'newest first',
  totals: 'absent',
  pageMax: { scim: 7, rest: 5, audit: 4 },
  beyondEnd: 'empty',
  offsets: 'followed',
  filter: 'exact',
  listedMembers: 'absent',
  listedInactive: 'shown',
  listsLateMs: 0,
  currentUser: 'absent',
  licences: 'texts',
  seats: 0,
  noSeat: 'words',
  missing: 404,
  tooMany: 'nothing',
  callsPerSecond: 0,
  slowMs: 0,
  auditWords: 'of admins',
  auditDetails: 'message',
  auditOrder: 'oldest first',
  auditLateMs: 0,
};

/** The service as the public notes suggest it, in another hand than the sandbox. */
export const NOTED_SHAPE: OtherShape = {
  userIds: 'numbers',
  groupIds: 'id',
  names: 'parts',
  letters: 'kept',
  userNames: 'kept',
  addresses: 'kept',
  emails: 'either',
  returning: 'refused',
  addressUpdates: 'refused',
  singles: 'alone',
  patchAnswers: 'new',
  batches: 'operations',
  inactiveMembers: 'accepted',
  deactivation: 'keeps groups',
  repeated: 'fine',
  creator: 'nothing',
  groupNames: 'any',
  removedGroups: 'gone',
  lists: 'bare',
  emptyLists: 'lists',
  order: 'oldest first',
  totals: 'right',
  pageMax: { scim: 100, rest: 100, audit: 500 },
  beyondEnd: 'empty',
  offsets: 'followed',
  filter: 'any case',
  listedMembers: 'shown',
  listedInactive: 'shown',
  listsLateMs: 0,
  currentUser: 'known',
  licences: 'numbers',
  seats: 0,
  noSeat: 402,
  missing: 404,
  tooMany: 'seconds',
  callsPerSecond: 0,
  slowMs: 0,
  auditWords: 'plain',
  auditDetails: 'object',
  auditOrder: 'newest first',
  auditLateMs: 0,
};

/** Services that answer in all the ways that a bridge can live with, by what is special about them. */
export const LIVABLE_SHAPES: Readonly<Record<string, OtherShape>> = {
  'as publicly noted': NOTED_SHAPE,
  'otherwise in everything': OTHER_SHAPE,
  'that takes little and says little': {
    ...OTHER_SHAPE,
    groupIds: 'id',
    names: 'one',
    userNames: 'refused',
    emails: 'texts',
    returning: 'refused',
    patchAnswers: '204',
    batches: 'refused',
    creator: 'nothing',
    order: 'by name',
    filter: 'refused',
  },
  'that is generous and loose': {
    ...NOTED_SHAPE,
    userIds: 'texts',
    groupIds: 'uid',
    names: 'first word',
    userNames: 'made',
    addresses: 'lowered',
    emails: 'either',
    returning: 'restored',
    addressUpdates: 'accepted',
    inactiveMembers: 'refused',
    repeated: 'refused',
    groupNames: 'unique',
    removedGroups: 'found by id',
    offsets: 'ignored',
    filter: 'ignored',
    listedMembers: 'absent',
    currentUser: 'absent',
  },
};

/** One group, or one person of the company, as an answer. */
export function toSingle({ singles }: OtherShape, one: JsonObject): JsonObject | JsonObject[] {
  return singles === 'alone' ? one : [one];
}

/** A name in the letters in which it is kept. */
export function spell({ letters }: OtherShape, name: string): string {
  if (letters === 'escaped') return escapeHtml(name);
  return letters === 'capitals' ? name.toUpperCase() : name;
}

function escapeHtml(name: string): string {
  return name
    .replaceAll(/&(?!\w+;|#)/g, '&amp;')
    .replaceAll("'", '&#39;')
    .replaceAll('"', '&quot;');
}
