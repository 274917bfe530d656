import { type Cells, isWaiting } from '../../domain/cell.ts';
import { listChangedFields } from '../../domain/change.ts';
import { isAsked } from '../../domain/combine.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../../domain/entity.ts';
import { GROUP_EXTENSION, toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import { type GroupField, type GroupState, listGroupDifferences } from '../../domain/group.ts';
import { fullName } from '../../domain/name.ts';
import {
  RULED_GROUP_FIELDS,
  type RuleBook,
  type RuledUserField,
  type Rulings,
  toRuleText,
} from '../../domain/rule-book.ts';
import { listUserDifferences, type UserField } from '../../domain/user.ts';
import { foldCase, type JsonObject, type JsonValue } from '../../domain/values.ts';
import type { Rules } from '../../rules/rules.ts';
import { findTerms } from '../../store/credentials.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listGroupNamesOf } from '../../store/links/of-users.ts';
import { type ActionKey, listHeldChanges } from '../../store/plans.ts';
import { listMeant } from '../../store/resources/find.ts';
import { countLinks, type LinkView, listLinkViews } from '../../store/resources/lists.ts';
import * as rows from '../../store/resources/rows.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { missing } from '../http/body.ts';
import { getOnly, listKeyedPaths, listRoute, ok, route } from '../http/route.ts';
import { type OpsJson, toView } from '../schemas/schemas.ts';

/** Requests for the reason of each field, and for the members of a group. */
export const explainRoutes = [
  ...listKeyedPaths('explain').map(({ path, type, of }) =>
    route(
      {
        path,
        answers: { 200: 'Explanation' },
        summary: `Why each field ${of} is as it is. The key is an id, a userName, an address or a displayName.`,
      },
      async ({ store: { read: db }, rules }, { params }) =>
        ok(await explain(db, rules, getOnly(await listMeant(db, params.key, type)))),
    ),
  ),
  listRoute(
    {
      path: '/groups/{id}/members',
      summary: 'Members of a group, wanted or only seen.',
      filters: {},
      oldestFirst: true,
      answers: { 200: 'MemberList' },
    },
    async ({ store: { read: db } }, _filters, { from: afterSeq, limit }, { id }) => {
      const [group = missing('No group has this id.')] = await rows.listRows(db, 'group', {
        id,
        ...rows.LIVE,
      });
      const held = await listHeldChanges(db, [id]);
      const links = await listLinkViews(db, { list: 'member', of: group, afterSeq, limit });
      return links.map((link) => ({ ...link, held, group: id }));
    },
    ({ held, group, ...link }) => toMember(link, held, ['member', group, link.id]),
  ),
] as const;

const LINKS_MAX = 200;

async function explain(db: Db, rules: Rules, row: rows.ResourceRow) {
  const { type, origin } = row;
  const list = type === 'user' ? 'member' : 'admin';
  const links = await listLinkViews(db, { list, of: row, afterSeq: 0, limit: LINKS_MAX });
  const { all } = await countLinks(db, list, row);
  const held = await listHeldChanges(db, [row.id]);
  const parts =
    type === 'user'
      ? await explainUser(db, { rules, row, held, links })
      : await explainGroup(db, { rules, row, held, links });
  const provider = origin === null ? null : row.provider;
  return toView('Explanation', row, {
    ...parts,
    managed: origin ?? 'no',
    provider,
    handling: provider === null ? null : await findTerms(db, provider),
    deleted: row.deleted_at !== null,
    seen: parts.observed ?? null,
    problem: row.last_error,
    more: Math.max(0, all - links.length),
  });
}

interface Given<Row> {
  readonly rules: Rules;
  readonly row: Row;
  readonly held: readonly ActionKey[];
  readonly links: readonly LinkView[];
}

async function explainUser(db: Db, { rules, row, held, links }: Given<rows.UserRow>) {
  const state = toUserState(row);
  const { desired, observed, cells, upstreamId } = state;
  const { deactivation, book } = rules;
  const differing = observed ? listUserDifferences(desired, observed, cells, deactivation) : [];
  const names = (await listGroupNamesOf(db, [row.id])).get(row.id) ?? [];
  const it = { row, state, differing, held, book, rulings: book.ruleUser(names) };
  const toRuled = (field: RuledUserField) =>
    toRuledField(it, field, [desired[field], observed?.[field] ?? null]);
  const isWanted = desired.active || upstreamId !== undefined;
  const ofGroups = await listHeldChanges(
    db,
    links.map(({ id }) => id),
  );
  return {
    observed,
    upstream: upstreamId === undefined ? null : String(upstreamId),
    fields: [
      toField(it, 'account', [isWanted, upstreamId !== undefined]),
      toAddress(it, 'userName', [desired.userName, observed?.userName]),
      toAddress(it, 'address', [desired.address, observed?.email]),
      toField(it, 'name', [desired.name && fullName(desired.name), observed?.fullName ?? null]),
      toField(it, 'active', [desired.active, observed?.active ?? null]),
      toRuled('appsPermissions'),
      toRuled('temporarilyInactive'),
      ...listKept(row),
    ],
    groups: links.map((link) => toMember(link, ofGroups, ['member', link.id, row.id])),
  };
}

async function explainGroup(db: Db, { rules, row, held, links }: Given<rows.GroupRow>) {
  const state = toGroupState(row);
  const { desired, observed, cells, ids } = state;
  const { all: _, ...members } = await countLinks(db, 'member', row);
  const differing = observed ? listGroupDifferences(desired, observed, cells) : [];
  const { book } = rules;
  const it = { row, state, differing, held, book, rulings: book.ruleGroup(row.name) };
  const known = Object.entries({ SCIM: ids.scimId, REST: ids.restId, uid: ids.uid });
  const upstream = known.filter(([, id]) => id !== undefined).map((named) => named.join(' '));
  return {
    observed,
    upstream: upstream.join(', ') || null,
    fields: [
      toField(it, 'existence', [row.deleted_at === null, upstream.length > 0]),
      toField(it, 'displayName', [desired.displayName, observed?.displayName ?? null]),
      ...RULED_GROUP_FIELDS.map((field) =>
        toRuledField(it, field, [desired[field], observed?.[field] ?? null]),
      ),
      ...listEntities(it, state),
      ...listKept(row),
    ],
    members,
    admins: links.map((admin) =>
      toMember(admin, held, ['admin', row.id, admin.id], toAdminOwner(book, row, admin)),
    ),
  };
}

type Place = readonly [list: 'member' | 'admin', groupId: string, memberId: string];

/** One link with its standing. @param held changes that plans hold back. @param from its owner */
function toMember(
  link: LinkView,
  held: readonly ActionKey[],
  [list, groupId, memberId]: Place,
  from = link.by_rule ? 'inner group' : 'provider',
): OpsJson<'Member'> {
  const { desired, observed, pending, stuck_at } = link;
  const isHeld = ({ kind, resource_id, member_id }: ActionKey) =>
    kind.startsWith(list) && resource_id === groupId && member_id === memberId;
  const toStanding = () => {
    if (pending !== null) return stuck_at === null ? 'pending' : 'stuck';
    if (desired === null) return 'not ours';
    if (observed === null) return 'unknown';
    if (desired === observed) return 'settled';
    return held.some(isHeld) ? 'held' : 'drifted';
  };
  return toView('Member', link, { from: desired === null ? null : from, standing: toStanding() });
}

interface Explained<Field extends string> {
  readonly row: rows.ResourceRow;
  readonly state: {
    readonly observed?: object | undefined;
    readonly mustLook: boolean;
    readonly cells: Cells<Field>;
  };
  readonly differing: readonly Field[];
  readonly held: readonly ActionKey[];
  readonly book: RuleBook;
  readonly rulings: Rulings<Field>;
}

type Values<Seen = JsonValue> = readonly [wanted: JsonValue | undefined, seen: Seen];

/** Explains a field that a provider or a rule may want, with what the service holds. */
function toField<Field extends string>(
  { row: { origin, stuck_at }, state, differing, held }: Explained<Field>,
  field: Field,
  [wanted, observed]: Values,
): OpsJson<'Field'> {
  const isHeld = ({ kind }: ActionKey) => listChangedFields(kind).some((name) => name === field);
  const toStanding = () => {
    if (origin === null || wanted === undefined) return 'not ours';
    if (isWaiting(state.cells[field])) return stuck_at === null ? 'pending' : 'stuck';
    if (state.observed === undefined || state.mustLook) return 'unknown';
    if (!differing.includes(field)) return 'settled';
    return held.some(isHeld) ? 'held' : 'drifted';
  };
  const desired = origin === null ? null : (wanted ?? null);
  return { field, desired, observed, from: toOwner(origin, wanted), standing: toStanding() };
}

function toOwner(origin: rows.ResourceRow['origin'], value: unknown): string | null {
  if (value === undefined) return null;
  return origin === null ? 'service' : 'provider';
}

/** userName and address: the account keeps those that it was created with, as far as is known. */
function toAddress(
  it: Explained<UserField>,
  field: 'userName' | 'address',
  [wanted, seen]: readonly [string | undefined, string | undefined],
): OpsJson<'Field'> {
  const { row, state } = it;
  const toOwnStanding = () => {
    // Without an address there can be no account: both wait for one.
    if (seen === undefined && wanted === undefined) return 'pending';
    if (seen === undefined || wanted === undefined) return 'unknown';
    if (foldCase(wanted) === foldCase(seen)) return 'settled';
    return isWaiting(state.cells.address) ? 'pending' : 'bridge only';
  };
  const plain = toField(it, 'address', [wanted, seen ?? null]);
  return { ...plain, field, standing: row.origin === null ? 'not ours' : toOwnStanding() };
}

/** Explains a field of an extension, which a rule may give: with a note of the rule that does not apply. */
function toRuledField<Field extends string>(it: Explained<Field>, field: Field, values: Values) {
  const { row, state, book, rulings } = it;
  const urn = row.type === 'user' ? USER_EXTENSION : GROUP_EXTENSION;
  const attributes = parseStored<JsonObject>(row.attributes);
  const ruling = row.origin === null ? undefined : rulings[field];
  const rule = ruling && toRuleWords(book, ruling.rule);
  const plain = toField(it, field, values);
  if (isAsked({ attributes, cells: state.cells, urn }, field)) {
    const from = toOwner(row.origin, true);
    return { ...plain, from, ...(rule !== undefined && { note: `It goes before ${rule}.` }) };
  }
  if (toExtension(attributes, urn)[field] === undefined) {
    const note = `${rule} does not apply: the person is protected.`;
    return { ...plain, from: null, ...(rule !== undefined && { note }) };
  }
  if (state.cells[field]?.source?.by === 'service')
    return { ...plain, from: 'service', note: 'As it was at the takeover.' };
  return { ...plain, from: rule ?? REPLACED };
}

/** Owner of what a rule gave that is there no more. */
const REPLACED = 'a rule that is being replaced';

/** A rule by its place in the list and its text. @param number undefined: it is there no more */
function toRuleWords({ rules }: RuleBook, number: number | undefined): string {
  if (number === undefined) return REPLACED;
  const rule = rules[number - 1];
  return `rule ${number}: ${rule ? toRuleText(rule) : '(gone)'}`;
}

/** The roles of the group in each entity of which a rule speaks, or spoke. */
function listEntities(
  { row, held, book }: Explained<GroupField> & { readonly row: rows.GroupRow },
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
function toAdminOwner(book: RuleBook, row: rows.GroupRow, { by_rule, desired }: LinkView): string {
  if (by_rule !== 0 && desired === 1) return toRuleWords(book, book.ruleAdmins(row.name)?.rule);
  return row.admins_asked === 1 || row.origin === 'created' ? 'provider' : 'service';
}

/** Attributes that the service has a place for. */
const HELD = {
  user: new Set(['userName', 'name', 'emails', 'active', USER_EXTENSION]),
  group: new Set(['displayName', GROUP_EXTENSION]),
};

/** The attributes that the service has no place for, so that the bridge alone keeps them. */
export function listKept(row: rows.ResourceRow): OpsJson<'Field'>[] {
  if (row.origin === null) return [];
  const { schemas: _, ...attributes } = parseStored<JsonObject>(row.attributes);
  const kept = Object.entries(attributes).filter(([name]) => !HELD[row.type].has(name));
  const rest = { observed: null, from: 'provider', standing: 'bridge only' } as const;
  return kept.map(([field, desired]) => ({ field, desired, ...rest }));
}
