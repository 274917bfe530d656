import { findNearest } from '../../settings/nearest.ts';
import { operationGroups } from '../../upstream/operations/all.ts';
import type { Operation, OperationGroup } from '../../upstream/operations/operation.ts';

/** Every operation of the service, group after group. */
export const allOperations: readonly Operation[] = Object.values(operationGroups).flatMap(
  (group: OperationGroup) => Object.values(group),
);

const operationsById = new Map(allOperations.map((operation) => [operation.id, operation]));

/** The operation that `group.name` means. */
export function findOperation(id: string): Operation | undefined {
  return operationsById.get(id);
}

/** The name that was probably meant by a wrong one; a name without its group is found too. */
export function findNearOperation(wrong: string): string | undefined {
  const ids = [...operationsById.keys()];
  return ids.find((id) => id.endsWith(`.${wrong}`)) ?? findNearest(wrong, ids);
}
