import { isWaiting } from '../../domain/cell.ts';
import { listChangedFields } from '../../domain/change.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../../domain/entity.ts';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import { type GroupField, type GroupState, listGroupDifferences } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { fullName } from '../../domain/name.ts';
import { RULED_GROUP_FIELDS, type RuledUserField } from '../../domain/rules.ts';
import { listUserDifferences, type UserField, type UserState } from '../../domain/user.ts';
import type { Rules } from '../../rules/rules.ts';
import { findHandling } from '../../store/credentials/providers.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { type ActionKey, listHeldChanges } from '../../store/plans/actions.ts';
import {
  countLinks,
  type LinkView,
  listLinkViews,
  type SeqLink,
} from '../../store/resources/explained.ts';
import { findLiveRow, type GroupRow, type UserRow } from '../../store/resources/rows.ts';
import { listGroupNamesOf } from '../../store/resources/rule-inputs.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { answerKeyed, type KeyedType, listKeyedPaths, readKeyed } from '../http/keyed.ts';
import { OLDEST, type PartQuery, readList } from '../http/list-query.ts';
import { ok, problem, route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import {
  createFieldTeller,
  HELD_OF_GROUP,
  HELD_OF_USER,
  LINKS_MAX,
  listKept,
  toExplainedLink,
  toHead,
  toOwner,
  toRuledOwner,
  toRuleWords,
} from './fields.ts';

const explained = {
  method: 'get',
  tag: 'People and groups',
  answers: { 200: 'Explanation', 404: 'Problem', 409: 'Problem' },
} as const;

/** Requests for the reason of each field, and for the members of a group. */
export const explainRoutes = [
  ...listKeyedPaths('explain').map(({ path, type, of }) =>
    route({
      ...{ ...explained, path },
      summary: `Why each field ${of} is as it is. The key is an id, a userName, an address or a displayName.`,
      handle: (sources: OpsSources, { params }) => explain(sources, params.key, type),
    }),
  ),
  route({
    ...explained,
    path: '/groups/{id}/members',
    summary: 'Members of a group, wanted or only seen.',
    filters: {},
    answers: { 200: 'MemberList', 404: 'Problem' },
    async handle({ store: { read: db } }: OpsSources, { params: { id }, query }) {
      const group = await findLiveRow(db, { type: 'group', id });
      if (group === undefined) return problem(404, 'not-found', 'No group has this id.');
      const held = await listHeldChanges(db, [id]);
      const of = { type: 'group', seq: group.seq } as const;
      const read = ({ from: afterSeq, limit }: PartQuery) =>
        listLinkViews(db, { list: 'member', of, afterSeq, limit });
      return ok(await readList(query, OLDEST, read, (link) => toMember(link, id, held)));
    },
  }),
] as const;

async function explain({ store: { read: db }, rules }: OpsSources, key: string, type: KeyedType) {
  const keyed = await readKeyed(db, key, type, {
    user: async (row) => withHeld(db, await explainUser(db, rules, row)),
    group: async (row) => withHeld(db, await explainGroup(db, rules, row)),
  });
  return answerKeyed(keyed);
}

/** Names the differences that a plan holds back: they are not drift. */
async function withHeld(
  db: Db,
  explanation: OpsJson<'Explanation'>,
): Promise<OpsJson<'Explanation'>> {
  const { id, provider, fields, groups, admins } = explanation;
  const own = await listHeldChanges(db, [id]);
  const held = new Set<string>(
    own.flatMap(({ kind, member_id }) => [...listChangedFields(kind), member_id]),
  );
  const toField = (one: OpsJson<'Field'>): OpsJson<'Field'> =>
    one.standing === 'drifted' && held.has(one.field) ? { ...one, standing: 'held' } : one;
  const groupIds = (groups ?? []).map((one) => one.id);
  const places = await listHeldChanges(db, groupIds);
  const toGroup = (link: OpsJson<'Member'>) =>
    toLink(link, places, { kind: 'member.', groupId: link.id, memberId: id });
  const toAdmin = (link: OpsJson<'Member'>) =>
    toLink(link, own, { kind: 'admin.', groupId: id, memberId: link.id });
  return {
    ...explanation,
    handling: provider === null ? null : await findHandling(db, provider),
    fields: fields.map(toField),
    ...(groups !== undefined && { groups: groups.map(toGroup) }),
    ...(admins !== undefined && { admins: admins.map(toAdmin) }),
  };
}

function toMember(link: SeqLink, groupId: string, held: readonly ActionKey[]): OpsJson<'Member'> {
  const member = toExplainedLink(link, link.by_rule ? 'inner group' : 'provider');
  return toLink(member, held, { kind: 'member.', groupId, memberId: member.id });
}

interface Place {
  readonly kind: 'member.' | 'admin.';
  readonly groupId: string;
  readonly memberId: string;
}

function toLink(
  link: OpsJson<'Member'>,
  held: readonly ActionKey[],
  { kind, groupId, memberId }: Place,
): OpsJson<'Member'> {
  const isHeld = held.some(
    (one) => one.kind.startsWith(kind) && one.resource_id === groupId && one.member_id === memberId,
  );
  return isHeld && link.standing === 'drifted' ? { ...link, standing: 'held' } : link;
}

/** Explains a user, field by field. Nothing here calls the service. */
async function explainUser(db: Db, rules: Rules, row: UserRow): Promise<OpsJson<'Explanation'>> {
  const names = (await listGroupNamesOf(db, [row.id])).get(row.id) ?? [];
  const first = { afterSeq: 0, limit: LINKS_MAX };
  const of = { type: 'user', seq: row.seq } as const;
  const links = await listLinkViews(db, { list: 'member', of, ...first });
  const { all } = await countLinks(db, 'member', of);
  const state = toUserState(row);
  return {
    type: 'user',
    ...toHead(row, state),
    name: row.name,
    upstream: state.upstreamId === undefined ? null : String(state.upstreamId),
    fields: listUserFields({ row, state, names, rules }),
    groups: links.map((link) => toExplainedLink(link, link.by_rule ? 'inner group' : 'provider')),
    more: Math.max(0, all - links.length),
  };
}

interface Subject {
  readonly row: UserRow;
  readonly state: UserState;
  /** The groups that rules look at. */
  readonly names: readonly string[];
  readonly rules: Rules;
}

function listUserFields(subject: Subject): OpsJson<'Field'>[] {
  const { row, state, names, rules } = subject;
  const attributes = parseStored<JsonObject>(row.attributes);
  const { desired, observed, cells, upstreamId } = state;
  const differing = observed
    ? listUserDifferences(desired, observed, cells, rules.deactivation)
    : [];
  const toField = createFieldTeller<UserField>({ row, state, differing });
  const isWanted = desired.active || upstreamId !== undefined;
  const rulings = rules.book.ruleUser(names);
  const { origin } = row;
  const toRuled = (field: RuledUserField) => ({
    ...toField(field, desired[field], observed?.[field] ?? null),
    ...toRuledOwner(rules.book, {
      ...{ field, attributes, cells, rulings, origin },
      urn: USER_EXTENSION,
    }),
  });
  const owned: Readonly<Record<UserField, OpsJson<'Field'> | readonly OpsJson<'Field'>[]>> = {
    account: toField('account', isWanted, upstreamId !== undefined),
    address: listAddressFields(subject),
    name: toField('name', desired.name && fullName(desired.name), observed?.fullName ?? null),
    active: toField('active', desired.active, observed?.active ?? null),
    appsPermissions: toRuled('appsPermissions'),
    temporarilyInactive: toRuled('temporarilyInactive'),
  };
  return [...Object.values(owned).flat(), ...listKept(row, HELD_OF_USER)];
}

/** userName and address: the account keeps those that it was created with, as far as is known. */
function listAddressFields({ row, state }: Subject): OpsJson<'Field'>[] {
  const { desired, observed, cells } = state;
  const waits = isWaiting(cells.address);
  const toField = (
    field: string,
    value: string | undefined,
    held: string | undefined,
  ): OpsJson<'Field'> => ({
    field,
    desired: row.origin === null ? null : (value ?? null),
    observed: held ?? null,
    from: toOwner(row.origin, value),
    standing: row.origin === null ? 'not ours' : toAddressStanding(value, held, waits),
  });
  return [
    toField('userName', desired.userName, observed?.userName),
    toField('address', desired.address, observed?.email),
  ];
}

function toAddressStanding(
  value: string | undefined,
  held: string | undefined,
  waits: boolean,
): OpsJson<'Member'>['standing'] {
  // Without an address there can be no account: both wait for one.
  if (held === undefined && value === undefined) return 'pending';
  if (held === undefined || value === undefined) return 'unknown';
  if (foldCase(value) === foldCase(held)) return 'settled';
  return waits ? 'pending' : 'bridge only';
}

/** Explains a group, field by field, and its administrators. Nothing here calls the service. */
async function explainGroup(db: Db, rules: Rules, row: GroupRow): Promise<OpsJson<'Explanation'>> {
  const first = { afterSeq: 0, limit: LINKS_MAX };
  const of = { type: 'group', seq: row.seq } as const;
  const admins = await listLinkViews(db, { list: 'admin', of, ...first });
  const { all: _, ...members } = await countLinks(db, 'member', of);
  const { all } = await countLinks(db, 'admin', of);
  const state = toGroupState(row);
  return {
    type: 'group',
    ...toHead(row, state),
    name: row.name,
    upstream: toUpstream(state),
    fields: listGroupFields(rules, row, state),
    members,
    admins: admins.map((admin) => toExplainedLink(admin, toAdminOwner(rules, row, admin))),
    more: Math.max(0, all - admins.length),
  };
}

function toUpstream({ ids }: GroupState): string | null {
  const { scimId, restId, uid } = ids;
  const parts = [
    ...(scimId === undefined ? [] : [`SCIM ${scimId}`]),
    ...(restId === undefined ? [] : [`REST ${restId}`]),
    ...(uid === undefined ? [] : [`uid ${uid}`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function listGroupFields(rules: Rules, row: GroupRow, state: GroupState): OpsJson<'Field'>[] {
  const attributes = parseStored<JsonObject>(row.attributes);
  const { desired, observed, cells } = state;
  const isKnown = toUpstream(state) !== null;
  const differing = observed ? listGroupDifferences(desired, observed, cells) : [];
  const toField = createFieldTeller<GroupField>({ row, state, differing });
  const rulings = rules.book.ruleGroup(row.name);
  const { origin } = row;
  return [
    toField('existence', row.deleted_at === null, isKnown),
    toField('displayName', desired.displayName, observed?.displayName ?? null),
    ...RULED_GROUP_FIELDS.map((field) => ({
      ...toField(field, desired[field], observed?.[field] ?? null),
      ...toRuledOwner(rules.book, {
        ...{ field, attributes, cells, rulings, origin },
        urn: GROUP_EXTENSION,
      }),
    })),
    ...listEntities(rules, row, state),
    ...listKept(row, HELD_OF_GROUP),
  ];
}

/** The roles of the group in each entity of which a rule speaks, or spoke. */
function listEntities({ book }: Rules, row: GroupRow, state: GroupState): OpsJson<'Field'>[] {
  const { cells, entities } = state;
  const rulings = book.ruleEntities(row.name);
  const differing = listEntityFields(cells).filter(
    (field) => !holdsRoles(cells[field], entities?.roles[field]),
  );
  const standing = { observed: entities, mustLook: state.mustLook, cells };
  const toField = createFieldTeller<GroupField>({ row, state: standing, differing });
  return listEntityFields(cells).map((field) => {
    const held = entities?.roles[field];
    const { rule } = rulings[field] ?? {};
    return {
      ...toField(field, parseRoles(findWantedRoles(cells[field])), held ? parseRoles(held) : null),
      from: rule === undefined ? 'a rule that is being replaced' : toRuleWords(book, rule),
    };
  });
}

/** The owner of an admin: a rule, else a provider that writes the list, else the service as it was at the takeover. */
function toAdminOwner(rules: Rules, row: GroupRow, { by_rule, desired }: LinkView): string {
  const ruling = rules.book.ruleAdmins(row.name);
  if (by_rule !== 0 && desired === 1) {
    return ruling ? toRuleWords(rules.book, ruling.rule) : 'a rule that is being replaced';
  }
  return row.admins_asked === 1 || row.origin === 'created' ? 'provider' : 'service';
}
