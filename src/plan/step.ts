import type { Cells } from '../domain/cell.ts';
import type { SentChange } from '../domain/change.ts';
import { isEntityField } from '../domain/entity.ts';
import { findFailed, isStuck } from '../domain/failure.ts';
import type { DesiredGroup, DesiredUser, Field } from '../domain/kinds.ts';
import { FIELDS } from '../domain/kinds.ts';
import type { LinkChange } from '../domain/link.ts';

export type { Field };

/** Part of a user or group that changes by itself: a field, or one user in a list of a group. */
export type Part = Field | LinkChange;

/** Lists the fields among these parts. */
export function listFields(parts: readonly Part[]): Field[] {
  return parts.filter((part) => typeof part === 'string');
}

/** Lists the changes of users in lists among these parts. */
export function listLinks<Link extends LinkChange>(parts: readonly (Field | Link)[]): Link[] {
  return parts.filter((part) => typeof part !== 'string');
}

/** Values that a call gives the fields of a step. */
export interface Values extends Partial<DesiredUser & DesiredGroup> {
  /** Ids of the roles in one entity, which the service lists for the group or not. */
  readonly roles?: readonly string[];
  readonly isListed?: boolean;
}

/** A part that is to change, with the values that the call is to give it. */
export interface PlannedFact {
  readonly part: Part;
  readonly values?: Values;
}

/** Calls that a step makes for a user or group. */
export type StepKind =
  | 'look' // Sees what the service holds, by id or, without one, by name and address.
  | 'create' // One call, or two for a user where the service does not take the name at creation.
  | 'update' // One call for all attributes that SCIM carries of a user, or REST of a group.
  | 'remove' // Deletes a virtual user, as no other can be, or a group that the bridge created.
  | 'access' // One REST call for what SCIM does not carry of a user.
  | 'address' // Tries once if the service takes a new userName or address; no refusal is reported.
  | 'members' // Several members in one call.
  | 'link' // One member or admin by the interface that takes one.
  | 'list-entities' // Lists the entities, before roles in them are changed.
  | 'entity'; // Sets the roles in one entity; no roles: the entity is taken from the group.

/** One call to the service, for all facts that it can carry. */
export interface Step {
  readonly kind: StepKind;
  readonly facts: readonly PlannedFact[];
}

/** The step that looks. */
export const LOOK: Step = { kind: 'look', facts: [] };

/** What is to be done next, and the fields that need no call because they already hold. */
export interface Plan {
  /** undefined: nothing. */
  readonly step: Step | undefined;
  readonly done: readonly Field[];
}

/** A fact that is to change, with its call and its urgency: the smallest rank is the most urgent. */
export interface OpenFact extends PlannedFact {
  readonly call: Exclude<StepKind, 'look' | 'create'>;
  readonly rank: number;
}

/** Rank of what failed or was refused before: it takes nothing along, and nothing waits for it. */
const TRIED = 100;

/** The step for the most urgent fact, with all others that its call can carry. What failed before goes alone. */
export function toStep(
  open: readonly OpenFact[],
  cells: Cells<string>,
  membersPerCall = 1,
): Step | undefined {
  const ranked = open
    .map((fact) => {
      const { part, rank } = fact;
      const failed = findFailedPart(part, cells);
      const isTried = failed !== undefined || (typeof part !== 'string' && isStuck(part.failure));
      return {
        ...fact,
        isTried,
        retryAt: failed?.retryAt ?? 0,
        order: isTried ? TRIED + rank : rank,
      };
    })
    .toSorted((a, b) => a.order - b.order || a.retryAt - b.retryAt);
  const [first] = ranked;
  if (first === undefined) return undefined;
  const { call: kind, isTried } = first;
  const facts = ranked
    .filter((fact) => fact.call === kind && fact.isTried === isTried)
    .map(({ part, values = {} }) => ({ part, values }));
  // A link or an entity has a call of its own, and what failed is tried alone.
  const isOfMany =
    kind === 'list-entities' || (!isTried && (kind === 'update' || kind === 'access'));
  const size = kind === 'members' ? membersPerCall : isOfMany ? facts.length : 1;
  return shorten({ kind, facts }, size);
}

/** The failure of a part by its own fault; undefined: it did not fail, or was refused. */
export const findFailedPart = (part: Part, cells: Cells<string>) =>
  findFailed(typeof part === 'string' ? cells[part] : part);

/** True when one of the facts failed before by its own fault. */
export const hasFailed = ({ facts }: Pick<Step, 'facts'>, cells: Cells<string>) =>
  facts.some(({ part }) => findFailedPart(part, cells) !== undefined);

/** A step with no more than so many of its facts. One member has a call of its own. */
export function shorten({ kind, facts }: Step, size: number): Step {
  const some = facts.slice(0, size);
  return { kind: kind === 'members' && some.length === 1 ? 'link' : kind, facts: some };
}

/** The parts that a step changes. */
export const listParts = ({ facts }: Step): Part[] => facts.map(({ part }) => part);

/** The values that the call of a step is to give. */
export const toValues = ({ facts }: Step): Values =>
  Object.assign({}, ...facts.map(({ values }) => values));

/** Lists the changes that the calls of a step make, under the id that they use; none: it looks. */
export function toChanges(
  type: 'user' | 'group',
  { kind, facts }: Step,
  upstreamId: string | undefined,
): SentChange[] {
  if (kind === 'look' || kind === 'list-entities') return [];
  if (kind === 'create') return [{ kind: `${type}.create` }];
  if (kind === 'remove') return [{ kind: `${type}.delete`, upstreamId }];
  const changes = facts.map((fact) => ({ ...toChange(fact), upstreamId }));
  return [...new Map(changes.map((one) => [`${one.kind} ${one.memberId}`, one])).values()];
}

function toChange({ part, values = {} }: PlannedFact): SentChange {
  const { active, temporarilyInactive, roles = [], isListed } = values;
  if (typeof part !== 'string') {
    const { list, wanted, upstreamUserId } = part;
    return { kind: `${list}.${wanted ? 'add' : 'remove'}`, memberId: String(upstreamUserId) };
  }
  if (isEntityField(part)) {
    const given = isListed ? 'entity.change' : 'entity.add';
    return { kind: roles.length === 0 ? 'entity.remove' : given, memberId: part };
  }
  // A suspension is a deactivation, as the audit log calls it.
  const isOn = active ?? (temporarilyInactive === undefined ? undefined : !temporarilyInactive);
  if (isOn !== undefined) return { kind: isOn ? 'user.activate' : 'user.deactivate' };
  return { kind: FIELDS[part].changes[0] };
}
