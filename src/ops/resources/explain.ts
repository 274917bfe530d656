import type { Cells } from '../../domain/cell.ts';
import { isWaiting } from '../../domain/cell.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../../domain/entity.ts';
import { OWN_EXTENSION, toExtension } from '../../domain/extensions.ts';
import type { Field } from '../../domain/kinds.ts';
import { listDiffering } from '../../domain/kinds.ts';
import { fullName } from '../../domain/name.ts';
import { listChangedFields } from '../../domain/plan.ts';
import type { RuleBook, Rulings } from '../../domain/rule-book.ts';
import { RULED_FIELDS } from '../../domain/rule-book.ts';
import type { JsonValue } from '../../domain/values.ts';
import { foldCase } from '../../domain/values.ts';
import { isAsked } from '../../rules/fields.ts';
import type { Rules } from '../../rules/rules.ts';
import { findTerms } from '../../store/credentials.ts';
import { listGroupNamesOf } from '../../store/links/of-users.ts';
import type { ActionKey } from '../../store/plans.ts';
import { listHeldChanges } from '../../store/plans.ts';
import type { LinkView } from '../../store/resources/find.ts';
import { countLinks, listLinkViews, listMeant } from '../../store/resources/find.ts';
import * as rows from '../../store/resources/rows.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { missing } from '../http/body.ts';
import { getOnly, listKeyedPaths, listRoute, ok, route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toView } from '../schemas/schemas.ts';

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
      const live = { id, ...rows.LIVE };
      const [group = missing('No group has this id.')] = await rows.listRows(db, 'group', live);
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
  // What is held of a membership is held of its group.
  const held = await listHeldChanges(db, [row.id, ...links.map(({ id }) => id)]);
  const given = { rules, held, links };
  const parts =
    type === 'user' ? await explainUser(db, row, given) : await explainGroup(db, row, given);
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

interface Given {
  readonly rules: Rules;
  readonly held: readonly ActionKey[];
  readonly links: readonly LinkView[];
}

/** What fields are explained by. `isSeen`: it is known what the service holds. `rulings`: what the rules give. */
interface Explained extends Pick<Given, 'held'> {
  readonly row: rows.ResourceRow;
  readonly cells: Cells<string>;
  readonly isSeen: boolean;
  readonly differing: readonly string[];
  readonly book: RuleBook;
  readonly rulings: Rulings;
}

async function explainUser(db: Db, row: rows.UserRow, { rules, held, links }: Given) {
  const { deactivation, book } = rules;
  const state = toUserState(row);
  const { desired, observed, cells, mustLook } = state;
  const differing = listDiffering(state, deactivation) ?? [];
  const rulings = book.ruleUser((await listGroupNamesOf(db, [row.id])).get(row.id) ?? []);
  const isSeen = observed !== null && !mustLook;
  const it = { row, cells, isSeen, differing, held, book, rulings };
  const isLinked = row.upstream_id !== null;
  return {
    observed,
    upstream: row.upstream_id?.toString() ?? null,
    fields: [
      toField(it, 'account', [desired.active || isLinked, isLinked]),
      toAddress(it, 'userName', [desired.userName, observed?.userName]),
      toAddress(it, 'address', [desired.address, observed?.email]),
      toField(it, 'name', [desired.name && fullName(desired.name), observed?.fullName]),
      toField(it, 'active', [desired.active, observed?.active]),
      ...RULED_FIELDS.user.map((field) =>
        toRuledField(it, field, [desired[field], observed?.[field]]),
      ),
      ...listKept(row),
    ],
    groups: links.map((link) => toMember(link, held, ['member', link.id, row.id])),
  };
}

async function explainGroup(db: Db, row: rows.GroupRow, { rules: { book }, held, links }: Given) {
  const state = toGroupState(row);
  const { desired, observed, cells, mustLook, entities } = state;
  const { all: _, ...members } = await countLinks(db, 'member', row);
  const differing = listDiffering(state, 'scim') ?? [];
  const isSeen = observed !== null && !mustLook;
  const it = { row, cells, isSeen, differing, held, book, rulings: book.ruleGroup(row.name) };
  const { upstream_scim_id: SCIM, upstream_id: REST, upstream_uid: uid } = row;
  const known = Object.entries({ SCIM, REST, uid });
  const upstream = known.filter(([, id]) => id !== null).map((named) => named.join(' '));
  return {
    observed,
    upstream: upstream.join(', ') || null,
    fields: [
      toField(it, 'existence', [row.deleted_at === null, upstream.length > 0]),
      toField(it, 'displayName', [desired.displayName, observed?.displayName]),
      ...RULED_FIELDS.group.map((field) =>
        toRuledField(it, field, [desired[field], observed?.[field]]),
      ),
      ...listEntities({ ...it, isSeen: entities !== null && !mustLook }, entities),
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

type Values = readonly [wanted: JsonValue | undefined, seen: JsonValue | undefined];

/** Explains a field that a provider or a rule may want, with what the service holds. */
function toField(
  { row: { id, origin, stuck_at }, cells, isSeen, differing, held }: Explained,
  field: string,
  [wanted, seen = null]: Values,
): OpsJson<'Field'> {
  const isHeld = ({ kind, resource_id }: ActionKey) =>
    resource_id === id && listChangedFields(kind).some((name) => name === field);
  const toStanding = () => {
    if (origin === null || wanted === undefined) return 'not ours';
    if (isWaiting(cells[field])) return stuck_at === null ? 'pending' : 'stuck';
    if (!isSeen) return 'unknown';
    if (!differing.includes(field)) return 'settled';
    return held.some(isHeld) ? 'held' : 'drifted';
  };
  const desired = origin === null ? null : (wanted ?? null);
  const owner = origin === null ? 'service' : 'provider';
  const from = wanted === undefined ? null : owner;
  return { field, desired, observed: seen, from, standing: toStanding() };
}

/** userName and address: the account keeps those that it was created with, as far as is known. */
function toAddress(
  it: Explained,
  field: 'userName' | 'address',
  [wanted, seen]: readonly [string | undefined, string | undefined],
): OpsJson<'Field'> {
  const toOwnStanding = () => {
    // Without an address there can be no account: both wait for one.
    if (seen === undefined && wanted === undefined) return 'pending';
    if (seen === undefined || wanted === undefined) return 'unknown';
    if (foldCase(wanted) === foldCase(seen)) return 'settled';
    return isWaiting(it.cells.address) ? 'pending' : 'bridge only';
  };
  const plain = toField(it, field, [wanted, seen]);
  return { ...plain, standing: it.row.origin === null ? 'not ours' : toOwnStanding() };
}

/** Explains a field of an extension, which a rule may give: with a note of the rule that does not apply. */
function toRuledField(it: Explained, field: Field, values: Values): OpsJson<'Field'> {
  const { row, cells, book, rulings } = it;
  const ruling = row.origin === null ? undefined : rulings[field];
  const rule = ruling && toRuleWords(book, ruling.rule);
  const plain = toField(it, field, values);
  const findOwner = () => {
    if (isAsked(row, field)) return [plain.from, rule && `It goes before ${rule}.`];
    if (toExtension(row.attributes, OWN_EXTENSION[row.type])[field] === undefined)
      return [null, rule && `${rule} does not apply: the person is protected.`];
    if (cells[field]?.source?.by === 'service') return ['service', 'As it was at the takeover.'];
    return [rule ?? REPLACED];
  };
  const [from = null, note] = findOwner();
  return { ...plain, from, ...(note && { note }) };
}

const REPLACED = 'a rule that is being replaced';

/** A rule by its place in the list and its text. @param number undefined: it is there no more */
function toRuleWords({ rules }: RuleBook, number: number | undefined): string {
  if (number === undefined) return REPLACED;
  const rule = rules[number - 1];
  return `rule ${number}: ${rule ? JSON.stringify(rule) : '(gone)'}`;
}

/** The roles of the group in each entity of which a rule speaks, or spoke. */
function listEntities(it: Explained, seen: Readonly<Record<string, string | undefined>> | null) {
  const fields = listEntityFields(it.cells);
  const differing = fields.filter((field) => !holdsRoles(it.cells[field], seen?.[field]));
  return fields.map((field) => {
    const wanted = parseRoles(findWantedRoles(it.cells[field]));
    const held = seen?.[field] ? parseRoles(seen[field]) : null;
    const plain = toField({ ...it, differing }, field, [wanted, held]);
    return { ...plain, from: toRuleWords(it.book, it.rulings[field]?.rule) };
  });
}

/** The owner of an admin: a rule, else a provider that writes the list, else the service as it was at the takeover. */
function toAdminOwner(book: RuleBook, row: rows.GroupRow, { by_rule, desired }: LinkView): string {
  if (by_rule !== 0 && desired === 1) return toRuleWords(book, book.ruleAdmins(row.name)?.rule);
  return row.admins_asked === 1 || row.origin === 'created' ? 'provider' : 'service';
}

const HELD = {
  user: new Set(['userName', 'name', 'emails', 'active', OWN_EXTENSION.user]),
  group: new Set(['displayName', OWN_EXTENSION.group]),
};

/** The attributes that the service has no place for, so that the bridge alone keeps them. */
export function listKept(row: rows.ResourceRow): OpsJson<'Field'>[] {
  if (row.origin === null) return [];
  const { schemas: _, ...attributes } = row.attributes;
  const kept = Object.entries(attributes).filter(([name]) => !HELD[row.type].has(name));
  const rest = { observed: null, from: 'provider', standing: 'bridge only' } as const;
  return kept.map(([field, desired]) => ({ field, desired, ...rest }));
}
