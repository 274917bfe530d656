import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../../domain/entity.ts';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { type GroupField, type GroupState, listGroupDifferences } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { RULED_GROUP_FIELDS } from '../../domain/rules.ts';
import type { Rules } from '../../rules/rules.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { countLinks, type LinkView, listLinkViews } from '../../store/resources/explained.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { toGroupState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ExplainedField, Explanation } from '../schemas/resources.ts';
import {
  createFieldTeller,
  LINKS_MAX,
  toExplainedLink,
  toRuledOwner,
  toRuleWords,
} from './fields.ts';
import { HELD_OF_GROUP, listKept, toHead } from './resource.ts';

/** Explains a group, field by field, and its administrators. Nothing here calls the service. */
export async function explainGroup(db: Db, rules: Rules, row: GroupRow): Promise<Explanation> {
  const first = { afterSeq: 0, limit: LINKS_MAX };
  const admins = await listLinkViews(db, {
    list: 'group_admins',
    of: { groupId: row.id },
    ...first,
  });
  const { all: _, ...members } = await countLinks(db, 'memberships', { group_id: row.id });
  const { all } = await countLinks(db, 'group_admins', { group_id: row.id });
  const state = toGroupState(row);
  return {
    type: 'group',
    ...toHead(row, state),
    name: row.name,
    upstream: toUpstream(state),
    fields: listFields(rules, row, state),
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

function listFields(rules: Rules, row: GroupRow, state: GroupState): ExplainedField[] {
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
function listEntities({ book }: Rules, row: GroupRow, state: GroupState): ExplainedField[] {
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
