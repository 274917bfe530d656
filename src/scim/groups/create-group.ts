import { toBaseline } from '../../domain/combine.ts';
import { GROUP_EXTENSION, withSchemas } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import { groupId, newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { adoptLink, type LinkList } from '../../domain/link.ts';
import { RULED_GROUP_FIELDS } from '../../domain/rules.ts';
import { GROUP_SCHEMA_URI } from '../../domain/schemas.ts';
import { enterRules } from '../../rules/follow.ts';
import { findGroupPrivilege } from '../../rules/rules.ts';
import { endUnmanaged } from '../../store/drifts.ts';
import { parseCells, parseStored, toGroupColumns } from '../../store/engine/columns.ts';
import { changeLinks, deleteAllLinks } from '../../store/links/links.ts';
import { listByName, listGroupTombstones } from '../../store/resources/by-name.ts';
import { passIds } from '../../store/resources/former-ids.ts';
import { joinLost, revive } from '../../store/resources/revive.ts';
import {
  type GroupRow,
  insertRow,
  lockRow,
  type NewRow,
  updateRow,
} from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { findSentPlace, type ResourceInput, withLeftOut } from '../dialect/parse-resource.ts';
import { UNCOUNTED } from '../repairs.ts';
import { type AdoptableKind, disputeAdoption } from '../writes/adoption.ts';
import { assertAdminsKnown } from '../writes/read-privilege.ts';
import { assertGroupWithinLimits, toTaken } from '../writes/wall.ts';
import { type Disputed, dispute, type GroupWriteResult } from '../writes/write-result.ts';
import { type FindPlace, type LinkEdit, toUserIds } from './edit-links.ts';
import { assertPermissions } from './protect-group.ts';
import { type GroupChangeRequest, storeGroupChange } from './store-change.ts';

/** A new group as a provider describes it. */
export interface NewGroup {
  readonly input: ResourceInput;
}

/**
 * Stores a new group, or takes over the one of this name that the service already has.
 * @throws ScimError 409 when a managed group has the name, 403 beyond the wall, 400 for members who are not users
 * @throws PrivilegeUnknown
 */
export async function storeNewGroup(
  tx: Db,
  deps: ProviderDeps,
  { input }: NewGroup,
): Promise<GroupWriteResult | Disputed> {
  const { attributes } = input;
  assertPermissions(deps, undefined, attributes);
  await enterRules(tx, deps.rules, 'names');
  const nameFolded = foldCase(String(attributes.displayName));
  const live = await listByName(tx, 'group', nameFolded, { lock: true });
  const [row] = live;
  await assertGroupWithinLimits(tx, deps, { row, attributes, ...toEdits(deps, input) });
  const holder = live.find(({ origin }) => origin !== null);
  if (holder) throw toTaken(deps, holder, { type: 'Group', attribute: 'displayName' });
  if (live.length > 1)
    return dispute(tx, deps, { type: 'group', name: nameFolded }, SEVERAL_GROUPS);
  if (row) return adoptGroup(tx, deps, { row, input });
  const { row: inserted, hasFormerIds } = await insert(tx, deps, attributes);
  const stored = await storeGroupChange(tx, deps, {
    row: inserted,
    origin: inserted.origin,
    before: parseStored<JsonObject>(inserted.attributes),
    attributes,
    fields: ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'],
    ...toEdits(deps, input),
    isNew: true,
  });
  return { ...stored, hasFormerIds };
}

/** Edits of a POST: its users are added, and those already in the lists stay. */
function toEdits(
  deps: ScimDeps,
  { members, admins, sent }: ResourceInput,
): Pick<GroupChangeRequest, 'edits' | 'repairs' | 'placeOf'> {
  const toAdd = (list: LinkList, users: readonly string[] | undefined): LinkEdit[] =>
    users?.length ? [{ list, op: 'add', ids: toUserIds(deps, users) }] : [];
  const placeOf: FindPlace = (list, id) => findSentPlace(list, sent.get(list), id);
  // A POST is taken as a whole.
  const edits = [...toAdd('member', members), ...toAdd('admin', admins)];
  return { edits, repairs: UNCOUNTED, placeOf };
}

async function adoptGroup(
  tx: Db,
  deps: ProviderDeps,
  { row, input }: { row: GroupRow; input: ResourceInput },
): Promise<GroupWriteResult | Disputed> {
  const disputed = await disputeAdoption(tx, deps, { kind: adoptableGroups, row });
  if (disputed) return disputed;
  const adopted = await takeOver(tx, deps, row);
  const before = parseStored<JsonObject>(row.attributes);
  return storeGroupChange(tx, deps, {
    row: adopted,
    origin: null,
    before,
    attributes: keepExtension(before, input),
    fields: ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'],
    ...toEdits(deps, input),
    isNew: false,
  });
}

/**
 * Attributes of a POST or PUT. The group keeps its permissions and flags unless the body names them: providers
 * rarely send extensions, and leaving them out does not ask to clear them.
 */
export function keepExtension(before: JsonObject, input: ResourceInput): JsonObject {
  const held = before[GROUP_EXTENSION];
  const attributes = withLeftOut(before, input);
  if (held === undefined || input.mentioned.has(GROUP_EXTENSION)) return attributes;
  return { ...attributes, [GROUP_EXTENSION]: held };
}

/** Makes an observed group managed, with its shown attributes as the baseline. */
export async function takeOver(
  tx: Db,
  deps: Pick<ProviderDeps, 'provider' | 'telemetry' | 'clock'>,
  row: GroupRow,
): Promise<GroupRow> {
  await changeLinks(tx, row, {}, adoptLink);
  // A takeover alone is no change that a reader sees, by which it would be found.
  await endUnmanaged(tx, { type: 'group', id: row.id }, { status: 'gone', now: deps.clock.now() });
  const shown = parseStored<JsonObject>(row.attributes);
  const ruled = { urn: GROUP_EXTENSION, fields: RULED_GROUP_FIELDS };
  const cells = JSON.stringify(toBaseline(parseCells(row), shown, ruled));
  const { provider } = deps;
  await updateRow(tx, row, { origin: 'adopted', provider, cells });
  deps.telemetry.adopted({ type: 'group', id: row.id });
  return { ...row, origin: 'adopted', provider, cells };
}

const SEVERAL_GROUPS =
  'Several groups of the service have this name. An operator has to say which.';

/** Inserts the group, or revives a deleted one: one that still is in the service, or that a lost create may have left there. */
async function insert(
  tx: Db,
  deps: ProviderDeps,
  attributes: JsonObject,
): Promise<{ readonly row: GroupRow; readonly hasFormerIds: boolean }> {
  const now = deps.clock.now();
  const { provider } = deps;
  const tombstones = await listGroupTombstones(tx, foldCase(String(attributes.displayName)));
  const released = tombstones.find((row) => row.origin === 'adopted' && row.observed !== null);
  const lost = await joinLost(
    tx,
    tombstones.filter((row) => row.sent_creates !== '[]' && row.in_flight === 0),
  );
  const from = released ?? lost;
  const draft: NewRow<'group'> = {
    type: 'group',
    id: groupId(newId()),
    origin: released ? 'adopted' : 'created',
    provider,
    ...toGroupColumns(withSchemas(GROUP_SCHEMA_URI, attributes)),
    inner_groups: '[]',
    ...(deps.looksFirst() ? { must_look: 1 } : {}),
    created_at: now,
    modified_at: now,
  };
  if (from === undefined) return { row: await insertRow(tx, draft), hasFormerIds: false };
  if (released === undefined) await deleteAllLinks(tx, from);
  const row = await revive(tx, from, draft, now);
  // Of another provider's groups this one knows no ids.
  const hasFormerIds = released !== undefined && released.provider === provider;
  const ids = { from: from.id, to: row.id };
  if (hasFormerIds) await passIds(tx, { resource_type: 'group', provider, ...ids, now });
  return { row, hasFormerIds };
}

/** How unmanaged groups are taken over: with their members as they are. */
export const adoptableGroups: AdoptableKind<'group'> = {
  type: 'group',
  policy: 'adoptGroups',
  async lock(tx, { rules }, id) {
    await enterRules(tx, rules, 'names');
    return lockRow(tx, { type: 'group', id });
  },
  findPrivilege(tx, deps, row) {
    assertAdminsKnown(row);
    return findGroupPrivilege(tx, deps, row);
  },
  listNames: ({ name_folded }) => [name_folded],
  listHolders: (tx, { name_folded }) => listByName(tx, 'group', name_folded),
  async takeOver(tx, deps, row) {
    const before = parseStored<JsonObject>(row.attributes);
    await storeGroupChange(tx, deps, {
      row: await takeOver(tx, deps, row),
      origin: row.origin,
      before,
      attributes: before,
      ...{ fields: [], edits: [], repairs: UNCOUNTED, placeOf: () => undefined },
      isNew: false,
    });
  },
};
