import { isWaiting } from '../../domain/cell.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../../domain/entity.ts';
import { foldCase } from '../../domain/fold.ts';
import { type GroupField, type GroupState, listGroupDifferences } from '../../domain/group.ts';
import { fullName } from '../../domain/name.ts';
import { RULED_GROUP_FIELDS, type RuleBook, type RuledUserField } from '../../domain/rule-book.ts';
import { listUserDifferences, type UserField } from '../../domain/user.ts';
import type { Rules } from '../../rules/rules.ts';
import { findHandling } from '../../store/credentials.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { type ActionKey, listHeldChanges } from '../../store/plans.ts';
import { listMeant } from '../../store/resources/find.ts';
import { countLinks, type LinkView, listLinkViews } from '../../store/resources/lists.ts';
import {
  type GroupRow,
  LIVE,
  listRows,
  type ResourceRow,
  type UserRow,
} from '../../store/resources/rows.ts';
import { listGroupNamesOf } from '../../store/resources/rule-inputs.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { getOnly, listKeyedPaths } from '../http/keyed.ts';
import { OLDEST, type PartQuery, readList } from '../http/list-query.ts';
import { ok, Problem, route } from '../http/route.ts';
import { toMoment, toView } from '../http/view.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { type Explained, listKept, toField, toOwner, toRuledField, toRuleWords } from './fields.ts';

/** Requests for the reason of each field, and for the members of a group. */
export const explainRoutes = [
  ...listKeyedPaths('explain').map(({ path, type, of }) =>
    route({
      path,
      answers: { 200: 'Explanation' },
      summary: `Why each field ${of} is as it is. The key is an id, a userName, an address or a displayName.`,
      handle: async ({ store: { read: db }, rules }: OpsSources, { params }) =>
        ok(await explain(db, rules, getOnly(await listMeant(db, params.key, type)))),
    }),
  ),
  route({
    path: '/groups/{id}/members',
    summary: 'Members of a group, wanted or only seen.',
    filters: {},
    answers: { 200: 'MemberList' },
    async handle({ store: { read: db } }: OpsSources, { params: { id }, query }) {
      const [group] = await listRows(db, 'group', { id, ...LIVE });
      if (group === undefined) throw new Problem(404, 'not-found', 'No group has this id.');
      const held = await listHeldChanges(db, [id]);
      const of = { type: 'group', seq: group.seq } as const;
      const read = ({ from: afterSeq, limit }: PartQuery) =>
        listLinkViews(db, { list: 'member', of, afterSeq, limit });
      const toItem = (link: LinkView) =>
        toMember(link, held, { list: 'member', groupId: id, memberId: link.id });
      return ok(await readList(query, OLDEST, read, (links) => links.map(toItem)));
    },
  }),
] as const;

/** A place in a list of a group. */
interface Place {
  readonly list: 'member' | 'admin';
  readonly groupId: string;
  readonly memberId: string;
}

/** One link with its standing. @param held changes that plans hold back. @param from its owner */
function toMember(
  link: LinkView,
  held: readonly ActionKey[],
  { list, groupId, memberId }: Place,
  from = link.by_rule ? 'inner group' : 'provider',
): OpsJson<'Member'> {
  const { desired, observed, pending, stuck_at } = link;
  const toStanding = () => {
    if (pending !== null) return stuck_at === null ? 'pending' : 'stuck';
    if (desired === null) return 'not ours';
    if (observed === null) return 'unknown';
    if (desired === observed) return 'settled';
    const isHeld = held.some(({ kind, resource_id, member_id }) => {
      return kind.startsWith(list) && resource_id === groupId && member_id === memberId;
    });
    return isHeld ? 'held' : 'drifted';
  };
  return toView('Member', link, {
    from: desired === null ? null : from,
    standing: toStanding(),
  });
}

/** Links of one list that are shown; the others are counted. */
const LINKS_MAX = 200;

/** Explains a user or group. Nothing here calls the service. */
async function explain(db: Db, rules: Rules, row: ResourceRow): Promise<OpsJson<'Explanation'>> {
  const { origin, last_error } = row;
  const parts =
    row.type === 'user' ? await explainUser(db, rules, row) : await explainGroup(db, rules, row);
  const { observed, ...others } = parts;
  const provider = origin === null ? null : row.provider;
  return toView('Explanation', row, {
    managed: origin ?? 'no',
    provider,
    handling: provider === null ? null : await findHandling(db, provider),
    deleted: row.deleted_at !== null,
    seen: observed ? { at: toMoment(observed.at), by: observed.by } : null,
    problem: last_error === null ? null : parseStored<{ code: string; words: string }>(last_error),
    ...others,
  });
}

async function explainUser(db: Db, rules: Rules, row: UserRow) {
  const state = toUserState(row);
  const { desired, observed, cells, upstreamId } = state;
  const of = { type: 'user', seq: row.seq } as const;
  const links = await listLinkViews(db, { list: 'member', of, afterSeq: 0, limit: LINKS_MAX });
  const { all } = await countLinks(db, 'member', of);
  const { deactivation, book } = rules;
  const differing = observed ? listUserDifferences(desired, observed, cells, deactivation) : [];
  const held = await listHeldChanges(db, [row.id]);
  const names = (await listGroupNamesOf(db, [row.id])).get(row.id) ?? [];
  const rulings = book.ruleUser(names);
  const it: Explained<UserField> = { row, state, differing, held, book, rulings };
  const toRuled = (field: RuledUserField) =>
    toRuledField(it, field, [desired[field], observed?.[field] ?? null]);
  const isWanted = desired.active || upstreamId !== undefined;
  const owned: Readonly<Record<UserField, readonly OpsJson<'Field'>[]>> = {
    account: [toField(it, 'account', [isWanted, upstreamId !== undefined])],
    address: [
      toAddress(it, 'userName', [desired.userName, observed?.userName]),
      toAddress(it, 'address', [desired.address, observed?.email]),
    ],
    name: [
      toField(it, 'name', [desired.name && fullName(desired.name), observed?.fullName ?? null]),
    ],
    active: [toField(it, 'active', [desired.active, observed?.active ?? null])],
    appsPermissions: [toRuled('appsPermissions')],
    temporarilyInactive: [toRuled('temporarilyInactive')],
  };
  const ofGroups = await listHeldChanges(
    db,
    links.map(({ id }) => id),
  );
  const toPlace = (groupId: string) => ({ list: 'member', groupId, memberId: row.id }) as const;
  return {
    observed,
    upstream: upstreamId === undefined ? null : String(upstreamId),
    fields: [...Object.values(owned).flat(), ...listKept(row)],
    groups: links.map((link) => toMember(link, ofGroups, toPlace(link.id))),
    more: Math.max(0, all - links.length),
  };
}

/** userName and address: the account keeps those that it was created with, as far as is known. */
function toAddress(
  { row, state }: Explained<UserField>,
  field: string,
  [wanted, seen]: readonly [string | undefined, string | undefined],
): OpsJson<'Field'> {
  const isOurs = row.origin !== null;
  const toStanding = () => {
    // Without an address there can be no account: both wait for one.
    if (seen === undefined && wanted === undefined) return 'pending';
    if (seen === undefined || wanted === undefined) return 'unknown';
    if (foldCase(wanted) === foldCase(seen)) return 'settled';
    return isWaiting(state.cells.address) ? 'pending' : 'bridge only';
  };
  return {
    field,
    desired: isOurs ? (wanted ?? null) : null,
    observed: seen ?? null,
    from: toOwner(row.origin, wanted),
    standing: isOurs ? toStanding() : 'not ours',
  };
}

async function explainGroup(db: Db, rules: Rules, row: GroupRow) {
  const state = toGroupState(row);
  const { desired, observed, cells } = state;
  const of = { type: 'group', seq: row.seq } as const;
  const admins = await listLinkViews(db, { list: 'admin', of, afterSeq: 0, limit: LINKS_MAX });
  const { all: _, ...members } = await countLinks(db, 'member', of);
  const { all } = await countLinks(db, 'admin', of);
  const held = await listHeldChanges(db, [row.id]);
  const differing = observed ? listGroupDifferences(desired, observed, cells) : [];
  const { book } = rules;
  const rulings = book.ruleGroup(row.name);
  const it: Explained<GroupField> = { row, state, differing, held, book, rulings };
  const upstream = toUpstream(state);
  return {
    observed,
    upstream,
    fields: [
      toField(it, 'existence', [row.deleted_at === null, upstream !== null]),
      toField(it, 'displayName', [desired.displayName, observed?.displayName ?? null]),
      ...RULED_GROUP_FIELDS.map((field) =>
        toRuledField(it, field, [desired[field], observed?.[field] ?? null]),
      ),
      ...listEntities(it, state),
      ...listKept(row),
    ],
    members,
    admins: admins.map((admin) => {
      const place = { list: 'admin', groupId: row.id, memberId: admin.id } as const;
      return toMember(admin, held, place, toAdminOwner(book, row, admin));
    }),
    more: Math.max(0, all - admins.length),
  };
}

function toUpstream({ ids: { scimId, restId, uid } }: GroupState): string | null {
  const ids = Object.entries({ SCIM: scimId, REST: restId, uid });
  const parts = ids.flatMap(([name, id]) => (id === undefined ? [] : `${name} ${id}`));
  return parts.length === 0 ? null : parts.join(', ');
}

/** The roles of the group in each entity of which a rule speaks, or spoke. */
function listEntities(
  { row, held, book }: Explained<GroupField>,
  { cells, entities: observed, mustLook }: GroupState,
): OpsJson<'Field'>[] {
  const rulings = book.ruleEntities(row.name);
  const fields = listEntityFields(cells);
  const differing = fields.filter((field) => !holdsRoles(cells[field], observed?.roles[field]));
  const it = { row, state: { observed, mustLook, cells }, differing, held, book, rulings };
  return fields.map((field) => {
    const seen = observed?.roles[field];
    const wanted = parseRoles(findWantedRoles(cells[field]));
    const plain = toField(it, field, [wanted, seen ? parseRoles(seen) : null]);
    return { ...plain, from: toRuleWords(book, rulings[field]?.rule) };
  });
}

/** The owner of an admin: a rule, else a provider that writes the list, else the service as it was at the takeover. */
function toAdminOwner(book: RuleBook, row: GroupRow, { by_rule, desired }: LinkView): string {
  if (by_rule !== 0 && desired === 1) return toRuleWords(book, book.ruleAdmins(row.name)?.rule);
  return row.admins_asked === 1 || row.origin === 'created' ? 'provider' : 'service';
}
