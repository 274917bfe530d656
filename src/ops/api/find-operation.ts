import leven from 'leven';
import { operationGroups } from '../../upstream/operations/all.ts';
import type { Operation, OperationGroup } from '../../upstream/operations/operation.ts';

/** An operation by its name, or the names that are nearest to a wrong one. */
export type FoundOperation =
  | { readonly kind: 'found'; readonly operation: Operation }
  | { readonly kind: 'unknown'; readonly near: readonly string[] };

/** Every operation of the service, group after group. */
export const allOperations: readonly Operation[] = Object.values(operationGroups).flatMap(
  (group: OperationGroup) => Object.values(group),
);

const operationsById = new Map(allOperations.map((operation) => [operation.id, operation]));

const NEAR_MAX = 3;
/** Letters that a name may be farther away than the nearest. */
const NEARLY = 2;

/** The operation that `group.name` means. */
export function findOperation(id: string): FoundOperation {
  const operation = operationsById.get(id);
  if (operation !== undefined) return { kind: 'found', operation };
  return { kind: 'unknown', near: findNear(id, [...operationsById.keys()]) };
}

/** The names that are nearest to a wrong one: at most a third of their letters away, and hardly farther than the nearest. */
export function findNear(wrong: string, names: readonly string[]): string[] {
  const asked = wrong.toLowerCase();
  // An operation named without its group is as near as one named with it.
  const toWanted = (name: string) => (asked.includes('.') ? name : (name.split('.')[1] ?? name));
  const near = names
    .map((name) => ({ name, distance: leven(asked, toWanted(name).toLowerCase()) }))
    .filter(({ name, distance }) => distance <= name.length / 3)
    .toSorted((a, b) => a.distance - b.distance);
  const [nearest] = near;
  return near
    .filter(({ distance }) => distance <= (nearest?.distance ?? 0) + NEARLY)
    .slice(0, NEAR_MAX)
    .map(({ name }) => name);
}
