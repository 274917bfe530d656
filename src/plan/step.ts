import type { Cells } from '../domain/cell.ts';
import { type ChangeKind, FIELD_CHANGES, type SentChange } from '../domain/change.ts';
import { findFailed } from '../domain/failure.ts';
import type { GroupField, LinkChange, UserField } from '../domain/kinds.ts';
import type { PersonName } from '../domain/name.ts';

/** Field of a user or group. */
export type Field = UserField | GroupField;

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
export interface Values {
  readonly userName?: string;
  readonly address?: string | undefined;
  readonly name?: PersonName | undefined;
  readonly active?: boolean;
  readonly appsPermissions?: number | undefined;
  readonly temporarilyInactive?: boolean | undefined;
  readonly displayName?: string;
  readonly permissions?: number | undefined;
  readonly addToCardsAndSpacesEnabled?: boolean | undefined;
  /** Ids of the roles in one entity, which the service lists for the group or not. */
  readonly roles?: readonly string[];
  readonly isListed?: boolean;
}

/** A part that is to change, with the values that the call is to give it. */
export interface PlannedFact {
  readonly part: Part;
  readonly values?: Values;
}

/**
 * Calls that a step makes for a user or group.
 * - `look`: sees what the service holds, by id or, without one, by name and address
 * - `create`: for a user one call, or two when the service does not take the name at creation
 * - `update`: one call for all attributes that SCIM carries of a user, or REST of a group
 * - `remove`: deletes a virtual user, the only kind that the service can delete, or a group that the bridge created
 * - `access`: one REST call for what SCIM does not carry of a user
 * - `address`: tries once whether the service takes a new userName or address; a refusal is not reported
 * - `members`: several members in one call; `link`: one member or admin by the interface that takes one
 * - `list-entities`: lists the entities, before roles in them are changed
 * - `entity`: sets the roles in one entity; no roles: the entity is taken from the group
 */
export type StepKind =
  | 'look'
  | 'create'
  | 'update'
  | 'remove'
  | 'access'
  | 'address'
  | 'members'
  | 'link'
  | 'list-entities'
  | 'entity';

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

/** A fact that is to change, with its call and its urgency. */
export interface OpenFact extends PlannedFact {
  readonly call: Exclude<StepKind, 'look' | 'create'>;
  /** The smallest is the most urgent. */
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
    .map((fact) => ({ ...fact, ...toTried(fact, cells) }))
    .toSorted((a, b) => a.order - b.order || a.retryAt - b.retryAt);
  const [first] = ranked;
  if (first === undefined) return undefined;
  const same = ranked.filter(
    ({ call, isTried }) => call === first.call && isTried === first.isTried,
  );
  const size = toSize(first.call, first.isTried, membersPerCall);
  const facts = same.slice(0, size).map(({ part, values = {} }) => ({ part, values }));
  const isOne = first.call === 'members' && facts.length === 1;
  return { kind: isOne ? 'link' : first.call, facts };
}

function toTried({ part, rank }: OpenFact, cells: Cells<string>) {
  const failed = typeof part === 'string' ? findFailed(cells[part]) : undefined;
  const isTried =
    typeof part === 'string'
      ? failed !== undefined
      : part.attempts !== undefined || part.stuck === true;
  return { isTried, retryAt: failed?.retryAt ?? 0, order: rank + (isTried ? TRIED : 0) };
}

function toSize(call: StepKind, isTried: boolean, membersPerCall: number): number {
  if (call === 'members') return membersPerCall;
  if (call === 'list-entities') return Number.POSITIVE_INFINITY;
  const isSingle = call !== 'update' && call !== 'access';
  return isSingle || isTried ? 1 : Number.POSITIVE_INFINITY;
}

/** A step with no more than so many of its facts. */
export function shorten(step: Step, size: number): Step {
  if (step.facts.length <= size) return step;
  const facts = step.facts.slice(0, size);
  return { kind: step.kind === 'members' && size === 1 ? 'link' : step.kind, facts };
}

/** The parts that a step changes. */
export function listParts({ facts }: Step): Part[] {
  return facts.map(({ part }) => part);
}

/** The values that the call of a step is to give. */
export function toValues({ facts }: Step): Values {
  return Object.assign({}, ...facts.map(({ values }) => values));
}

/** True when one of the facts failed before by its own fault. */
export function hasFailed({ facts }: Step, cells: Cells<string>): boolean {
  return facts.some(({ part }) =>
    typeof part === 'string' ? findFailed(cells[part]) !== undefined : part.attempts !== undefined,
  );
}

/** Lists the changes that the calls of a step make, under the id that they use; none: it looks. */
export function toChanges(
  type: 'user' | 'group',
  step: Step,
  upstreamId: string | undefined,
): SentChange[] {
  const values = toValues(step);
  switch (step.kind) {
    case 'look':
    case 'list-entities':
      return [];
    case 'create':
      return [{ kind: `${type}.create` }];
    case 'remove':
      return [{ kind: `${type}.delete`, upstreamId }];
    case 'address':
      return [{ kind: 'user.address', upstreamId }];
    case 'members':
    case 'link':
      return listLinks(listParts(step)).map(({ list, upstreamUserId, wanted }) => ({
        kind: `${list}.${wanted ? 'add' : 'remove'}`,
        upstreamId,
        memberId: String(upstreamUserId),
      }));
    case 'entity':
      return listFields(listParts(step)).map((memberId) => {
        return { kind: toEntityKind(values), upstreamId, memberId };
      });
    default: {
      const kinds = step.facts.flatMap(listKinds);
      return [...new Set(kinds)].map((kind) => ({ kind, upstreamId }));
    }
  }
}

const FIELD_KINDS: ReadonlyMap<unknown, ChangeKind> = new Map(
  Object.entries(FIELD_CHANGES).map(([field, [kind]]) => [field, kind]),
);

function listKinds({ part, values: { active, temporarilyInactive } = {} }: PlannedFact) {
  // A suspension is a deactivation, as the audit log calls it.
  const isOn = active ?? (temporarilyInactive === undefined ? undefined : !temporarilyInactive);
  if (isOn !== undefined) return [isOn ? 'user.activate' : 'user.deactivate'] as const;
  const kind = FIELD_KINDS.get(part);
  return kind === undefined ? [] : [kind];
}

function toEntityKind({ roles = [], isListed }: Values): ChangeKind {
  if (roles.length === 0) return 'entity.remove';
  return isListed ? 'entity.change' : 'entity.add';
}
