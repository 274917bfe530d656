import {
  GROUP_EXTENSION,
  toExtension,
  toWrittenName,
  withExtension,
} from '../../domain/extensions.ts';
import { isGone, isLinked, toDesiredGroup } from '../../domain/kinds.ts';
import { adoptLink, releaseLink } from '../../domain/link.ts';
import type { JsonObject } from '../../domain/values.ts';
import { foldCase, groupId, hasMoreBits, newId } from '../../domain/values.ts';
import { toCellsAfterDeletion } from '../../domain/write.ts';
import { toBaseline } from '../../rules/fields.ts';
import type { GroupNews } from '../../rules/follow.ts';
import { enterRules, followGroup, toRuledName } from '../../rules/follow.ts';
import { findGroupPrivilege } from '../../rules/rules.ts';
import { changeLinks, deleteAllLinks, listLinkedUsers } from '../../store/links/links.ts';
import { listNamed, toTombstones } from '../../store/resources/find.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { getRow, LIVE, listRows, lockLost } from '../../store/resources/rows.ts';
import { toGroupState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import type { ResourceInput } from '../dialect/parse-body.ts';
import { ScimError } from '../errors.ts';
import { applyWhole } from '../patch/apply-patch.ts';
import type { Asked, Match, WriteKind } from './kind.ts';
import { PrivilegeUnknown } from './kind.ts';
import { toBodyAsked } from './lists.ts';
import { assertDemotesNobody, assertKeepsRights } from './protect-group.ts';
import { assertWithinLimits, toDispute, toTaken } from './wall.ts';

/** Groups, as providers write them. */
export const groupWrites: WriteKind<'group'> = {
  type: 'group',
  begin: (tx, { rules }, of) => enterRules(tx, rules, of === 'change' ? 'users' : 'names'),
  toReplacement,
  async toAllowed(tx, deps, { row, asked }) {
    const { attributes, names } = asked;
    if (names.size > 0) {
      assertPermissions(deps, row.attributes, attributes);
      await assertNameFree(tx, deps, row, attributes);
      await assertKeepsRights(tx, deps, row, asked);
    }
    const staged = await assertWithinLimits(tx, deps, 'group', { ...asked, row });
    if (row.origin === null || attributes.displayName !== row.name) {
      await enterRules(tx, deps.rules, 'names');
    }
    return { ...asked, staged };
  },
  complete({ row, asked }) {
    // The lists of a group that is gone cannot be written without its name.
    const isListed = asked.edits.length > 0 && isGone(row.observed);
    return isListed ? { ...asked, names: new Set([...asked.names, 'displayName']) } : asked;
  },
  toNewRow: (columns) => ({ type: 'group', id: groupId(newId()), ...columns }),
  async follow(tx, { rules }, { row, origin, created, changed, lists, now }) {
    const isNested = changed.inner_groups !== row.inner_groups;
    const ofUsers = changed.inner_groups.length > 0 ? 'users' : undefined;
    const news: GroupNews = {
      id: row.id,
      before: created || origin === null ? undefined : row.name,
      after: toRuledName(changed),
      users: lists.links.flatMap(({ list, userId }) => (list === 'member' ? [userId] : [])),
      nested: isNested ? 'all' : ofUsers,
      version: changed.version,
      ...(lists.releasesAdmins ? { admins: 'released' as const } : {}),
    };
    const { changedItself, ...followed } = await followGroup(tx, rules, news, now);
    return { row: changedItself ? await getRow(tx, row) : changed, ...followed };
  },
  async toAdoptedCells(tx, row) {
    await changeLinks(tx, row, {}, adoptLink);
    return toBaseline(row);
  },
  async findPrivilege(tx, deps, row) {
    const { id, admins_read_at } = row;
    if (admins_read_at === null) throw new PrivilegeUnknown({ type: 'group', id });
    return findGroupPrivilege(tx, deps, row);
  },
  listNames: ({ name_folded }) => [name_folded],
  listHolders: (tx, { name_folded }) => listRows(tx, 'group', { name_folded, ...LIVE }),
  async delete(tx, deps, row) {
    await assertDemotesNobody(tx, deps, row);
    const version = row.version + 1;
    const isOwn = row.origin === 'created';
    const users = await listLinkedUsers(tx, row);
    if (!isOwn) await changeLinks(tx, row, {}, (link) => releaseLink(link, version));
    const cells = toCellsAfterDeletion(toGroupState(row), version);
    // A group that was never sent to the service needs no removal.
    const isDue = !isOwn || isLinked(row) || row.must_look !== 0;
    return { isDue, columns: { cells }, users };
  },
  async forget(tx, { rules, clock }, row, { isDue, users }) {
    const news = { id: row.id, before: toRuledName(row), after: undefined, users };
    const { notifies } = await followGroup(tx, rules, news, clock.now());
    if (!isDue) await deleteAllLinks(tx, row);
    return notifies;
  },
  toNew(deps, input) {
    assertPermissions(deps, {}, input.attributes);
    return toBodyAsked(deps, 'add', input, input.attributes);
  },
  match: matchGroup,
  toAdopted: (before, _asked, input) => toReplacement(before, input),
};

/** Attributes of a POST or PUT. Permissions and flags stay unless the body names them: providers rarely send extensions. */
function toReplacement(before: JsonObject, input: ResourceInput): JsonObject {
  const { mentioned } = input;
  const attributes = applyWhole(before, input);
  if (mentioned.has(GROUP_EXTENSION)) return attributes;
  const had = Object.entries(toExtension(before, GROUP_EXTENSION));
  const kept = had.filter(([name]) => !mentioned.has(toWrittenName(GROUP_EXTENSION, name)));
  const given = toExtension(attributes, GROUP_EXTENSION);
  return withExtension(attributes, GROUP_EXTENSION, { ...Object.fromEntries(kept), ...given });
}

/** Stops permission bits that a provider may not set. @throws ScimError 403 */
function assertPermissions({ policy }: ScimDeps, before: JsonObject, attributes: JsonObject): void {
  const { permissions: wanted } = toDesiredGroup(attributes);
  const had = toDesiredGroup(before).permissions ?? 0;
  // Bits that the group has by a rule or by hand may be said again, but none may be gained.
  if (wanted === undefined || !hasMoreBits(wanted, had, policy.permissionsMax)) return;
  throw new ScimError(403, 'The settings do not let a provider give a group these permissions.');
}

async function assertNameFree(
  tx: Db,
  deps: ProviderDeps,
  row: GroupRow,
  { displayName }: JsonObject,
): Promise<void> {
  const name_folded = foldCase(String(displayName));
  if (name_folded === row.name_folded) return;
  const live = await listRows(tx, 'group', { name_folded, ...LIVE });
  const holder = live.find(({ id }) => id !== row.id);
  if (holder) throw toTaken(deps, holder, { attribute: 'displayName' });
}

async function matchGroup(
  tx: Db,
  deps: ProviderDeps,
  { attributes }: Asked,
): Promise<Match<'group'>> {
  await enterRules(tx, deps.rules, 'names');
  const name = foldCase(String(attributes.displayName));
  const which = { order: 'seq', lock: true } as const;
  const live = await listRows(tx, 'group', { name_folded: name, ...LIVE }, which);
  const holder = live.find(({ origin }) => origin !== null);
  if (holder) {
    return { kind: 'refused', refusal: toTaken(deps, holder, { attribute: 'displayName' }) };
  }
  const [row, second] = live;
  if (second) {
    const about = { name, attribute: 'displayName' } as const;
    return { kind: 'refused', refusal: toDispute(deps, SEVERAL_GROUPS, about, live) };
  }
  if (row) return { kind: 'unmanaged', row };
  // One that still is in the service, or that a lost create may have left there.
  const tombstones = toTombstones(await listNamed(tx, 'group', [name]));
  const released = tombstones.find((one) => one.origin === 'adopted' && one.observed !== null);
  const lost = await lockLost(tx, 'group', tombstones);
  if (released === undefined) {
    if (lost) await deleteAllLinks(tx, lost);
    return { kind: 'new', row: lost, origin: 'created' };
  }
  const before = { attributes, cells: {}, origin: 'adopted', deleted: true } as const;
  // Of another provider's groups this one knows no ids.
  const hasFormerIds = released.provider === deps.provider;
  return { kind: 'new', row: released, origin: 'adopted', before, hasFormerIds };
}

const SEVERAL_GROUPS =
  'Several groups of the service have this name. An operator has to say which.';
