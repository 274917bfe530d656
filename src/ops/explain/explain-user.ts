import { isWaiting } from '../../domain/cell.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import { fullName } from '../../domain/name.ts';
import type { RuledUserField } from '../../domain/rules.ts';
import { listUserDifferences, type UserField, type UserState } from '../../domain/user.ts';
import type { Rules } from '../../rules/rules.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { countLinks, listLinkViews } from '../../store/resources/explained.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { listGroupNamesOf } from '../../store/resources/rule-inputs.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ExplainedField, Explanation, FieldStanding } from '../schemas/resources.ts';
import { createFieldTeller, LINKS_MAX, toExplainedLink, toOwner, toRuledOwner } from './fields.ts';
import { HELD_OF_USER, listKept, toHead } from './resource.ts';

/** Explains a user, field by field. Nothing here calls the service. */
export async function explainUser(db: Db, rules: Rules, row: UserRow): Promise<Explanation> {
  const names = (await listGroupNamesOf(db, [row.id])).get(row.id) ?? [];
  const first = { afterSeq: 0, limit: LINKS_MAX };
  const links = await listLinkViews(db, { list: 'memberships', of: { userId: row.id }, ...first });
  const { all } = await countLinks(db, 'memberships', { user_id: row.id });
  const state = toUserState(row);
  return {
    type: 'user',
    ...toHead(row, state),
    name: row.name,
    upstream: state.upstreamId === undefined ? null : String(state.upstreamId),
    fields: listFields({ row, state, names, rules }),
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

function listFields(subject: Subject): ExplainedField[] {
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
  const owned: Readonly<Record<UserField, ExplainedField | readonly ExplainedField[]>> = {
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
function listAddressFields({ row, state }: Subject): ExplainedField[] {
  const { desired, observed, cells } = state;
  const waits = isWaiting(cells.address);
  const toField = (
    field: string,
    value: string | undefined,
    held: string | undefined,
  ): ExplainedField => ({
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
): FieldStanding {
  // Without an address there can be no account: both wait for one.
  if (held === undefined && value === undefined) return 'pending';
  if (held === undefined || value === undefined) return 'unknown';
  if (foldCase(value) === foldCase(held)) return 'settled';
  return waits ? 'pending' : 'bridge only';
}
