import { createHash } from 'node:crypto';
import type { JsonObject } from '../domain/json.ts';
import type { PlanAction } from '../domain/plan.ts';

/** Hash over the actions and their preconditions, in any order. */
export function toHash(actions: readonly PlanAction[]): string {
  const lines = actions.map(({ kind, resourceId, memberId, desired, observed }) =>
    JSON.stringify([kind, resourceId, memberId, desired, observed]),
  );
  return digest(lines.toSorted().join('\n'));
}

/** Hash of a plan to which these actions were added. */
export function toGrownHash(before: string, added: readonly PlanAction[]): string {
  return digest(`${before}\n${toHash(added)}`);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Numbers of actions: all, of each kind, and of each kind of harm. */
export interface PlanCounts extends JsonObject {
  readonly total: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly harm: Readonly<Record<string, number>>;
}

/** Counts the actions of each kind, and of each kind of harm. */
export function countActions(actions: readonly PlanAction[]): PlanCounts {
  const count = (names: readonly string[]) =>
    Object.fromEntries(
      Map.groupBy(names, (name) => name)
        .entries()
        .map(([name, all]) => [name, all.length]),
    );
  const harms = actions.flatMap(({ harm }) => harm ?? []);
  return {
    total: actions.length,
    kinds: count(actions.map(({ kind }) => kind)),
    harm: count(harms),
  };
}

/** Adds up the numbers of two parts of a plan. */
export function addCounts(one: PlanCounts, other: PlanCounts): PlanCounts {
  return {
    total: one.total + other.total,
    kinds: addNumbers(one.kinds, other.kinds),
    harm: addNumbers(one.harm, other.harm),
  };
}

function addNumbers(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
