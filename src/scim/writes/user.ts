import { findCreationAddress, isAddress } from '../../domain/address.ts';
import { onlyAssigned } from '../../domain/assignment.ts';
import { listWaiting, withEcho } from '../../domain/cell.ts';
import {
  toExtension,
  toWrittenName,
  USER_EXTENSION,
  withExtension,
} from '../../domain/extensions.ts';
import { isWorking } from '../../domain/kinds.ts';
import { findDesiredName, fullName, normaliseName } from '../../domain/name.ts';
import type { JsonObject } from '../../domain/values.ts';
import { newId, parseKnown, userId } from '../../domain/values.ts';
import { askDoubted, toCellsAfterDeletion, withSuspensionEnded } from '../../domain/write.ts';
import { followUser } from '../../rules/follow.ts';
import { toCellColumns } from '../../store/engine/columns.ts';
import { leaveGroups, lockGroupsOf } from '../../store/links/of-users.ts';
import { toDeparture } from '../../store/resources/backlog.ts';
import { listAccountNames, listHolders } from '../../store/resources/find.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { getRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { ProviderDeps } from '../deps.ts';
import type { ResourceInput } from '../dialect/parse-body.ts';
import { invalidValue } from '../errors.ts';
import { applyWhole } from '../patch/apply-patch.ts';
import { enterpriseDescription } from '../schema/descriptions.ts';
import { withAssigned, withoutUnnamed } from './assigned.ts';
import type { Asked, WriteKind } from './kind.ts';
import { assertRoleKnown } from './kind.ts';
import { toBodyAsked } from './lists.ts';
import { assertNamesFree, matchUser } from './match-account.ts';
import { assertWithinLimits } from './wall.ts';

const SUSPENDED = toWrittenName(USER_EXTENSION, 'temporarilyInactive');

/** Users, as providers write them. */
export const userWrites: WriteKind<'user'> = {
  type: 'user',
  async begin(tx, _deps, of, id) {
    // The groups that show the user get a new version.
    if (of === 'end') await lockGroupsOf(tx, userId(id), 'all');
  },
  toReplacement,
  async toAllowed(tx, deps, { row, asked }) {
    const possible = toPossible(deps, row, asked);
    await assertNamesFree(tx, deps, row, possible.attributes);
    const staged = await assertWithinLimits(tx, deps, 'user', { ...possible, row });
    return { ...possible, staged };
  },
  complete({ row, origin, asked }) {
    const asks = { cells: row.cells, attributes: asked.attributes };
    const attributes = withSuspensionEnded(row.attributes, asks);
    const isEnded = attributes !== asked.attributes;
    const names = isEnded ? new Set([...asked.names, SUSPENDED]) : asked.names;
    if (origin !== null) return { ...asked, attributes, names };
    return { ...asked, names, attributes: withoutUnnamed({ attributes, names }) };
  },
  toNewRow: (columns) => ({ type: 'user', id: userId(newId()), ...columns }),
  async follow(tx, { rules }, { changed, origin, now }) {
    const notifies = origin === null && (await followUser(tx, rules, changed.id, now));
    return { row: notifies ? await getRow(tx, changed) : changed, notifies, removes: false };
  },
  async toAdoptedCells(_tx, { cells, observed, attributes }) {
    // A name that was split from the service's is no difference from it.
    const name = findDesiredName(attributes);
    if (name === undefined || observed === null) return cells;
    const echo = { sent: fullName(name), back: normaliseName(observed.fullName) };
    return withEcho(cells, 'name', echo);
  },
  async findPrivilege(tx, { rules }, row) {
    assertRoleKnown(row);
    return rules.protection.findPrivilege(tx, row);
  },
  listNames: (row) => [row.name_folded, ...listAccountNames(row)],
  // An account that another user is to get, or has, is not given to two.
  listHolders: (tx, row) => listHolders(tx, listAccountNames(row), row.name_folded),
  async delete(_tx, { clock, rules: { deactivation } }, row) {
    const { observed } = row;
    const version = row.version + 1;
    const cells = toCellsAfterDeletion(toUserState(row), version);
    const isDue = listWaiting(cells).length > 0;
    // Who seems to be out already may have been let in again since: a look comes first.
    const isDoubted = isDue && observed !== null && !isWorking(observed, deactivation);
    const doubted = isDoubted ? listWaiting(cells) : [];
    const columns = {
      ...toCellColumns(askDoubted(cells, doubted, { version, deactivation })),
      ...(isDue || row.active === 1 ? toDeparture(row, clock.now()) : {}),
      ...(isDoubted && { must_look: row.must_look + 1 }),
    };
    return { isDue, columns, users: [] };
  },
  async forget(tx, { clock }, row, { isDue }) {
    return !isDue && (await leaveGroups(tx, row.id, clock.now())).length > 0;
  },
  toNew(deps, input, repairs) {
    const body = toBodyAsked(deps, 'add', input, input.attributes);
    const possible = toPossible(deps, { attributes: {}, origin: null }, body);
    const attributes = { ...possible.attributes, active: possible.attributes.active !== false };
    if (findCreationAddress(attributes) === undefined) repairs.count('address-missing');
    return { ...possible, attributes, names: new Set([...possible.names, 'active']) };
  },
  match: matchUser,
  toAdopted: (before, { attributes }) => keepReadOnly(before, attributes),
};

/** Attributes after a PUT: all are replaced, except `active`, `name`, `emails` and what governance assigned, which partial views leave out. */
function toReplacement(before: JsonObject, input: ResourceInput): JsonObject {
  const { active, name, emails } = before;
  const held = Object.entries(parseKnown({ active, name, emails, ...onlyAssigned(before) }));
  const kept = held.filter(([attribute]) => !input.mentioned.has(attribute));
  return keepReadOnly(before, { ...Object.fromEntries(kept), ...applyWhole(before, input) });
}

/** Attributes with the read-only values of the service, which survive every write. */
function keepReadOnly(before: JsonObject, attributes: JsonObject): JsonObject {
  const known = toExtension(attributes, USER_EXTENSION);
  const { role = known.role, virtual = known.virtual } = toExtension(before, USER_EXTENSION);
  return withExtension(attributes, USER_EXTENSION, { ...known, role, virtual });
}

/** What is asked with what follows from it for other attributes. @throws ScimError 400 `invalidValue`: for assignments or an address that the service cannot take */
function toPossible(
  { baseUrl }: ProviderDeps,
  before: Pick<UserRow, 'attributes' | 'origin'>,
  asked: Asked,
): Asked {
  const assigned = withAssigned(before, asked);
  const attributes = withStoredManagerRef(assigned.attributes, baseUrl);
  assertAddress(before.attributes, attributes);
  return { ...asked, ...assigned, attributes };
}

/** Stops an address that no service can take, where the account is to be known by it from now on. @throws ScimError 400 `invalidValue` */
function assertAddress(before: JsonObject, attributes: JsonObject): void {
  const address = findCreationAddress(attributes);
  if (address === undefined || isAddress(address)) return;
  if (address === findCreationAddress(before)) return;
  const words = 'The address in emails by which the account is known is no e-mail address';
  throw invalidValue(`${words}: text, one @, text, and no white space.`);
}

/** Attributes with a manager's `$ref` to this bridge as relative, so that it outlives the public address (`withAbsoluteRefs`). */
function withStoredManagerRef(attributes: JsonObject, baseUrl: string): JsonObject {
  const extension = toExtension(attributes, enterpriseDescription.id);
  const manager = toExtension(extension, 'manager');
  const { $ref } = manager;
  if (typeof $ref !== 'string' || !$ref.startsWith(`${baseUrl}/`)) return attributes;
  const stored = { ...manager, $ref: `..${$ref.slice(baseUrl.length)}` };
  return { ...attributes, [enterpriseDescription.id]: { ...extension, manager: stored } };
}
